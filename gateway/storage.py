"""How static files are stored: under names that carry a hash of their content."""

from django.contrib.staticfiles.storage import ManifestStaticFilesStorage


class ModuleManifestStorage(ManifestStaticFilesStorage):
    """Hashed names, also in the ``import`` statements of JavaScript modules."""

    support_js_module_import_aggregation = True
    max_post_process_passes = 20
    """A pass settles one level of imports; the page's modules have several."""
