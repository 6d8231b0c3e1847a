"""The bundled demo studies and what makes them."""
