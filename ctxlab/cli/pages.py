"""The pages that `--html` writes, and the secrets in them."""

from collections.abc import Callable

from ctxlab.cli.output import UsageError


def save_page(save_html: Callable[..., None], page: str, mask: bool) -> None:
    """Write a page, with the secrets masked where `mask` says so.

    Raises UsageError where it would show secrets, and CtxlabError where it cannot be written.
    """
    from ctxlab.player.disclosing import SecretsError

    try:
        save_html(page, secrets="mask" if mask else "refuse")
    except SecretsError as error:
        raise UsageError(f"{error.reason}; --mask masks it there") from error
