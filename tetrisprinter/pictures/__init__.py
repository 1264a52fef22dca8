"""Pictures and where they come from: images, texts, glyphs."""
