from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from provider_stage.fake_provider_api import FakeProviderApi

REACH_OUT = """
const net = require("node:net");
fetch("https://api.stranger.example/search").catch((error) => {
  console.log(error.cause.code);
  const socket = net.connect(443, "203.0.113.7", () => {
    console.log(socket.remoteAddress);
    socket.destroy();
  });
});
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="the stage is for servers that node runs")
def test_no_connection_leaves_the_machine_and_a_strangers_name_is_never_trusted(api: FakeProviderApi) -> None:
    done = subprocess.run(
        ["node", "-e", REACH_OUT],
        env={**os.environ, **api.node_environment},
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stdout.split() == ["ERR_TLS_CERT_ALTNAME_INVALID", "127.0.0.1"]
    assert api.strangers[0] == "api.stranger.example"
