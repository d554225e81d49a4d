"""The report's charts: what they show (model), how they look (style), how they are drawn."""
