"""Secrets in command lines and variables: masked before they are stored."""

from __future__ import annotations

import time

import pytest

from waywiser.launch import host
from waywiser.launch.masking import masked_environment, masked_text, masked_words

S = "hunter2"


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (["app", "--token", S], ["app", "--token", "(masked)"]),
        (["app", f"--token={S}"], ["app", "--token=(masked)"]),
        (["app", "-password", S, "-n", "4"], ["app", "-password", "(masked)", "-n", "4"]),
        (["app", f"--api-key={S},x=1"], ["app", "--api-key=(masked)"]),
        (["app", "--client-secret", S], ["app", "--client-secret", "(masked)"]),
        (["app", f"-Ddb.passwd={S}"], ["app", "-Ddb.passwd=(masked)"]),
        (["app", "--ssh_key", S], ["app", "--ssh_key", "(masked)"]),
        (["app", "--sshKey", S], ["app", "--sshKey", "(masked)"]),
        (["app", "--credentials", S], ["app", "--credentials", "(masked)"]),
        (["app", f"TOKEN={S}"], ["app", "TOKEN=(masked)"]),
        (["app", f"token: {S}"], ["app", "token: (masked)"]),
        (["mpirun", "-x", f"API_KEY={S}", "a"], ["mpirun", "-x", "API_KEY=(masked)", "a"]),
        (["mpiexec", "-genv", "DB_PASSWORD", S], ["mpiexec", "-genv", "DB_PASSWORD", "(masked)"]),
        (["mpirun", "--mca", "a_secret", S], ["mpirun", "--mca", "a_secret", "(masked)"]),
        (["srun", f"--export=ALL,TOKEN={S},A=1"], ["srun", "--export=ALL,TOKEN=(masked)"]),
        ([f"https://ada:{S}@host/a?b"], ["https://(masked)@host/a?b"]),
        ([f"https://ada:{S}/{S}@host/a"], ["https://(masked)@host/a"]),
        ([f"https://{S}@host/a"], ["https://(masked)@host/a"]),
        (["-H", f"Authorization: Bearer {S}"], ["-H", "Authorization: (masked)"]),
        ([f"./app --password '{S} {S}' in"], ["./app --password (masked) in"]),
        (["sh", "-c", f"TOKEN={S} ./app"], ["sh", "-c", "TOKEN=(masked)"]),
        ([f'{{"api_key": "{S}"}}'], ['{"api_key": (masked)']),
        (["app", "ghp_abcdefghijklmnopqrstuvwxyz"], ["app", "(masked)"]),
        (["app", "AKIAABCDEFGHIJKLMNOP"], ["app", "(masked)"]),
    ],
    ids=str,
)  # fmt: skip
def test_a_secret_in_a_command_is_masked(words: list[str], left: list[str]) -> None:
    assert masked_words(words) == tuple(left)


@pytest.mark.parametrize(
    "words",
    [
        ["mpirun", "-n", "4", "--map-by", "ppr:2:node:PE=2", "./monkey", "in=keyboard"],
        ["mpiexec", "-genv", "OMP_NUM_THREADS", "4", "./app", "--tokenizer", "gpt2"],
        ["srun", "--mpi=pmix", "./app", "--no-password", "-n", "4", "https://host:80/a"],
        ["./app", "-x", "TOKEN", "./in.dat", "/keys/a"],
    ],
    ids=str,
)
def test_other_words_stay(words: list[str]) -> None:
    assert masked_words(words) == tuple(words)


def test_a_secret_in_a_variable_is_masked() -> None:
    variables = {"API_KEY": S, "OMPI_MCA_x": f"a;TOKEN={S}", "UCX_TLS": "tcp"}

    assert masked_environment(variables) == {
        **{"API_KEY": "(masked)", "OMPI_MCA_x": "a;TOKEN=(masked)", "UCX_TLS": "tcp"},
    }


def test_recorded_variables_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPI_MCA_mca_base_env_list", f"A=1;DB_PASSWORD={S}")
    monkeypatch.setenv("UCX_AUTH_TOKEN", S)

    recorded = host.environment()

    assert recorded["OMPI_MCA_mca_base_env_list"] == "A=1;DB_PASSWORD=(masked)"
    assert recorded["UCX_AUTH_TOKEN"] == "(masked)"


@pytest.mark.parametrize("part", ["token", "a", "a://", ",=", "--token ", "token=", "key-", "eyJ"])
def test_no_word_takes_long(part: str) -> None:
    """The word is as long as the longest argument that Linux takes, 128 KiB."""
    begin = time.process_time()

    masked_text(part * (131_072 // len(part)))

    assert time.process_time() - begin < 5
