"""How static files are stored: under names that carry a hash of their content."""

from django.contrib.staticfiles.storage import ManifestStaticFilesStorage

_STYLE_SHEETS = ManifestStaticFilesStorage.patterns[0]

# What stands where a statement begins; `import` within a comment or a text does not.
_IMPORTS = (
    (
        r"""(?m)^(?P<matched>(?P<verb>import|export)(?P<names>[^;"']*?)from\s*"""
        r"""["'](?P<url>\.[^"']+)["'])""",
        '%(verb)s%(names)sfrom "%(url)s"',
    ),
    (r"""(?m)^(?P<matched>import\s*["'](?P<url>\.[^"']+)["'])""", 'import "%(url)s"'),
    (r"""(?P<matched>\bimport\(\s*["'](?P<url>\.[^"']+)["']\s*\))""", 'import("%(url)s")'),
)


class ModuleManifestStorage(ManifestStaticFilesStorage):
    """Hashed names, also in style sheets and in the ``import`` statements of modules.

    Django's own switch for this looks from each ``import`` to the end of the file, in every script
    of the admin, several times: that took longer than all else at a start.
    """

    patterns = (_STYLE_SHEETS, ("*.js", _IMPORTS))
    max_post_process_passes = 20  # a chain of imports takes a pass for each of its links
