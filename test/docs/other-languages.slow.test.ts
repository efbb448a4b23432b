import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { startSandbox } from "../../src/node/index.ts";
import { succeed } from "../support/command.ts";
import { temporaryFolder } from "../support/command-line.ts";
import { isInstalled, pages } from "./pages.ts";

// JUnit and Testcontainers are stand-ins, so that no test needs Docker or the registries of Java, Go and Python. Their
// names and parameters are those of Testcontainers 2.0 for Java, 0.44 for Go and 4.15 for Python. Their container is the
// sandbox of the test, provided that the recipe exposes its port, sets its admin token and waits for its health.

const adminToken = "only-for-tests";

const page = pages.find(({ path }) => path === "docs/other-languages.md");

function snippet(title: string): string {
  const code = page?.blocks.find((block) => block.title === title)?.code;
  if (code === undefined) throw new Error(`docs/other-languages.md has no block with title="${title}"`);
  return code;
}

/** Writes snippets of the page and stand-ins into a new folder. */
function project(titles: readonly string[], standIns: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  const files = { ...Object.fromEntries(titles.map((title) => [title, `${snippet(title)}\n`])), ...standIns };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Starts a sandbox with an admin token, as in a container. */
async function container() {
  const sandbox = await startSandbox({ port: 0, adminToken });
  onTestFinished(() => sandbox.close());
  const points = () => sandbox.requests.list().requests.map(({ point }) => point);
  const { url } = sandbox;
  return { url, env: { STAND_IN_PORT: new URL(url).port }, points };
}

const javaStandIns = {
  "org/junit/jupiter/api/Test.java": `package org.junit.jupiter.api;
@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) public @interface Test {}`,
  "org/junit/jupiter/api/Assertions.java": `package org.junit.jupiter.api;
public class Assertions {
  public static void assertEquals(int expected, int actual) {
    if (expected != actual) throw new AssertionError("expected " + expected + ", but was " + actual);
  }
}`,
  "Run.java": `public class Run {
  public static void main(String[] names) throws Exception {
    for (var method : Class.forName(names[0]).getDeclaredMethods()) {
      if (!method.isAnnotationPresent(org.junit.jupiter.api.Test.class)) continue;
      var constructor = Class.forName(names[0]).getDeclaredConstructor();
      constructor.setAccessible(true);
      method.setAccessible(true);
      method.invoke(constructor.newInstance());
      System.out.println("passed: " + method.getName());
    }
  }
}`,
  "org/testcontainers/containers/wait/strategy/WaitStrategy.java": `package org.testcontainers.containers.wait.strategy;
public interface WaitStrategy { void await(String url) throws Exception; }`,
  "org/testcontainers/containers/wait/strategy/Wait.java": `package org.testcontainers.containers.wait.strategy;
public class Wait {
  public static HttpWaitStrategy forHttp(String path) { return new HttpWaitStrategy(path); }
}`,
  "org/testcontainers/containers/wait/strategy/HttpWaitStrategy.java": `package org.testcontainers.containers.wait.strategy;
public class HttpWaitStrategy implements WaitStrategy {
  private final String path;
  private int status = 200;
  HttpWaitStrategy(String path) { this.path = path; }
  public HttpWaitStrategy forStatusCode(int statusCode) { status = statusCode; return this; }
  public void await(String url) throws Exception {
    var connection = (java.net.HttpURLConnection) java.net.URI.create(url + path).toURL().openConnection();
    if (connection.getResponseCode() != status) throw new IllegalStateException(path);
  }
}`,
  "org/testcontainers/containers/GenericContainer.java": `package org.testcontainers.containers;
import java.util.*;
import org.testcontainers.containers.wait.strategy.WaitStrategy;
@SuppressWarnings("unchecked")
public class GenericContainer<SELF extends GenericContainer<SELF>> {
  private final List<Integer> ports = new ArrayList<>();
  private final Map<String, String> env = new HashMap<>();
  private WaitStrategy wait;
  public GenericContainer(String dockerImageName) {}
  public SELF withExposedPorts(Integer... added) { ports.addAll(List.of(added)); return (SELF) this; }
  public SELF withEnv(String key, String value) { env.put(key, value); return (SELF) this; }
  public SELF waitingFor(WaitStrategy waitStrategy) { wait = waitStrategy; return (SELF) this; }
  public void start() {
    if (!"${adminToken}".equals(env.get("CARD_SANDBOX_ADMIN_TOKEN"))) throw new IllegalStateException("env");
    try {
      wait.await("http://" + getHost() + ":" + getMappedPort(4242));
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
  }
  public String getHost() { return "127.0.0.1"; }
  public Integer getMappedPort(int originalPort) {
    if (!ports.contains(originalPort)) throw new IllegalArgumentException("not exposed: " + originalPort);
    return Integer.valueOf(System.getenv("STAND_IN_PORT"));
  }
}`,
};

describe.skipIf(!isInstalled("javac"))("Java", () => {
  async function runTest(source: string, env: NodeJS.ProcessEnv) {
    const folder = project(["CardSandbox.java", "SandboxContainer.java"], {
      ...javaStandIns,
      "CardTest.java": source,
    });
    await succeed("javac", ["-Xlint:all", "-Werror", "-d", "classes", "CardTest.java", "Run.java"], {
      cwd: folder,
    });
    return succeed("java", ["-cp", "classes", "Run", "CardTest"], { cwd: folder, env });
  }
  const passed = ["passed: exchangesAnApiKey", "passed: reportsThatNoTokenIsIssued"];

  test("its test passes with the variables of exec", async () => {
    const { url, points } = await container();
    const env = { CARD_SANDBOX_URL: url, CARD_SANDBOX_ADMIN_TOKEN: adminToken };
    const printed = await runTest(snippet("CardTest.java"), env);
    expect(printed.trim().split("\n").toSorted()).toEqual(passed);
    expect(points().toSorted()).toEqual(["token.issued", "token.unavailable"]);
  });

  test("its test passes with Testcontainers", async () => {
    const { env, points } = await container();
    const source = snippet("CardTest.java").replace(
      "CardSandbox.fromEnvironment()",
      "SandboxContainer.shared()",
    );
    const printed = await runTest(source, env);
    expect(printed.trim().split("\n").toSorted()).toEqual(passed);
    expect(points()).toHaveLength(2);
  });
});

const goStandIns = {
  "go.mod": `module example.com/cards
go 1.18
require github.com/testcontainers/testcontainers-go v0.0.0
replace github.com/testcontainers/testcontainers-go => ./testcontainers
`,
  "testcontainers/go.mod": "module github.com/testcontainers/testcontainers-go\ngo 1.18\n",
  "testcontainers/wait/wait.go": `package wait
type Strategy interface{ Path() string }
type HTTPStrategy struct{ path string }
func (s *HTTPStrategy) Path() string { return s.path }
func ForHTTP(path string) *HTTPStrategy { return &HTTPStrategy{path} }
`,
  "testcontainers/testcontainers.go": `package testcontainers
import (
	"context"
	"errors"
	"net/http"
	"os"
	"github.com/testcontainers/testcontainers-go/wait"
)
type DockerContainer struct {
	ports []string
	env   map[string]string
	wait  []wait.Strategy
}
type Container interface{ Endpoint(context.Context, string) (string, error) }
type ContainerCustomizer interface{ Customize(*DockerContainer) error }
type TerminateOption func()
type CustomizeRequestOption func(*DockerContainer) error
func (o CustomizeRequestOption) Customize(c *DockerContainer) error { return o(c) }
func WithExposedPorts(ports ...string) CustomizeRequestOption {
	return func(c *DockerContainer) error { c.ports = ports; return nil }
}
func WithEnv(envs map[string]string) CustomizeRequestOption {
	return func(c *DockerContainer) error { c.env = envs; return nil }
}
func WithWaitStrategy(strategies ...wait.Strategy) CustomizeRequestOption {
	return func(c *DockerContainer) error { c.wait = strategies; return nil }
}
func Run(ctx context.Context, img string, opts ...ContainerCustomizer) (*DockerContainer, error) {
	c := &DockerContainer{}
	for _, each := range opts {
		each.Customize(c)
	}
	if c.env["CARD_SANDBOX_ADMIN_TOKEN"] != "${adminToken}" {
		return nil, errors.New("env")
	}
	url, err := c.Endpoint(ctx, "http")
	if err != nil {
		return nil, err
	}
	for _, each := range c.wait {
		if response, err := http.Get(url + each.Path()); err != nil || response.StatusCode != 200 {
			return nil, errors.New(each.Path())
		}
	}
	return c, nil
}
func (c *DockerContainer) Endpoint(ctx context.Context, proto string) (string, error) {
	if len(c.ports) != 1 || c.ports[0] != "4242/tcp" {
		return "", errors.New("not exposed")
	}
	return proto + "://127.0.0.1:" + os.Getenv("STAND_IN_PORT"), nil
}
func TerminateContainer(container Container, options ...TerminateOption) error { return nil }
`,
};

test.skipIf(!isInstalled("go"))("Go: its tests pass with Testcontainers, and are formatted", async () => {
  const { env, points } = await container();
  const cwd = project(["card_test.go", "main_test.go"], goStandIns);
  expect(await succeed("gofmt", ["-l", "card_test.go", "main_test.go"], { cwd })).toBe("");
  expect(await succeed("go", ["test", "-v", "./..."], { cwd, env })).toMatch(/^ok/m);
  expect(points().toSorted()).toEqual(["token.issued", "token.unavailable"]);
});

const pythonStandIns = {
  "testcontainers/__init__.py": "",
  "testcontainers/core/__init__.py": "",
  "testcontainers/core/wait_strategies.py": `class HttpWaitStrategy:
    def __init__(self, port, path="/"):
        self.port, self.path = port, path
`,
  "testcontainers/core/container.py": `import os
import urllib.request


class DockerContainer:
    def __init__(self, image):
        self.ports, self.env, self.strategy = (), {}, None

    def with_exposed_ports(self, *ports):
        self.ports = ports
        return self

    def with_env(self, key, value):
        self.env[key] = value
        return self

    def waiting_for(self, strategy):
        self.strategy = strategy
        return self

    def __enter__(self):
        assert self.env["CARD_SANDBOX_ADMIN_TOKEN"] == "${adminToken}"
        port = self.get_exposed_port(self.strategy.port)
        assert urllib.request.urlopen(f"http://127.0.0.1:{port}{self.strategy.path}").status == 200
        return self

    def __exit__(self, *error):
        pass

    def get_container_host_ip(self):
        return "127.0.0.1"

    def get_exposed_port(self, port):
        assert port in self.ports
        return int(os.environ["STAND_IN_PORT"])
`,
};

test.skipIf(!isInstalled("pytest"))("Python: its test passes with Testcontainers", async () => {
  const { env, points } = await container();
  const cwd = project(["conftest.py", "test_orders.py"], pythonStandIns);
  expect(await succeed("pytest", ["-q", "-p", "no:cacheprovider"], { cwd, env })).toContain("1 passed");
  expect(points()).toEqual(["order.quota_reached", "token.issued"]);
});

test("Compose: the tests wait for the sandbox to be healthy, and have its address and its admin token", () => {
  const { services } = parse(snippet("compose.test.yaml"), { strict: true });
  const { sandbox, tests } = services;
  expect(tests.depends_on).toEqual({ sandbox: { condition: "service_healthy" } });
  const dockerfile = readFileSync(new URL("../../Dockerfile", import.meta.url), "utf8");
  const health = JSON.parse(/^HEALTHCHECK .* CMD (.*)$/m.exec(dockerfile)?.[1] ?? "");
  expect(sandbox.healthcheck.test).toEqual(["CMD", ...health]);
  const port = /^EXPOSE ([0-9]+)$/m.exec(dockerfile)?.[1];
  expect(tests.environment).toEqual({
    CARD_SANDBOX_URL: `http://sandbox:${port}`,
    CARD_SANDBOX_ADMIN_TOKEN: sandbox.environment.CARD_SANDBOX_ADMIN_TOKEN,
  });
  expect(Object.keys(sandbox.environment)).toEqual(["CARD_SANDBOX_ADMIN_TOKEN", "CARD_SANDBOX_DB"]);
});
