import { createRequire } from "node:module";

// In dist/, this file stands for zod: a schema is made when it is first used. `createSandbox()` and a start use none, so
// they do not load zod, which would take 13 % of the processor time of either.

// biome-ignore lint/suspicious/noExplicitAny: a function, a class or a schema of zod, or a part of one
type Any = any;

let zod: Any;

/** Loads zod. The build bundles it as CommonJS, the only format that every loader can load synchronously. */
export function loadZod(): Any {
  zod ??= createRequire(import.meta.url)("./zod.cjs");
  return zod;
}

const real = Symbol("real");

/** The methods that return another schema. Every other use of a schema makes it. */
const methods: ReadonlySet<PropertyKey> = new Set(
  "brand date datetime default describe duration exclude extend length max meta min nullable omit optional overwrite partial pipe prefault refine regex superRefine toLowerCase transform trim unwrap".split(
    " ",
  ),
);

/** A function of zod that makes a schema. */
export function lazyFunction(name: string): Any {
  // The schema that a callback returns is made for zod itself.
  if (name === "lazy") return (make: () => Any) => lazily(() => loadZod().lazy(() => realOf(make())));
  return (...args: Any[]) => lazily(() => loadZod()[name](...realOf(args)));
}

/** A class of zod, or an object with functions. */
export function lazyObject(name: string): Any {
  return lazily(() => loadZod()[name]);
}

function lazily(make: () => Any): Any {
  let made: Any;
  const get = () => {
    made ??= make();
    return made;
  };
  return new Proxy(
    {},
    {
      get: (_, key) => {
        if (key === real) return get();
        if (methods.has(key)) return (...args: Any[]) => lazily(() => get()[key](...realOf(args)));
        const value = get()[key];
        return typeof value === "function" ? (...args: Any[]) => value.apply(get(), args.map(ifLazy)) : value;
      },
      has: (_, key) => key in get(),
    },
  );
}

function ifLazy(value: Any): Any {
  return value?.[real] ?? value;
}

/** A value with the schemas of zod itself in place of the lazy ones. */
export function realOf(value: Any): Any {
  if (Array.isArray(value)) return value.map(realOf);
  const schema = ifLazy(value);
  if (schema !== value || typeof value !== "object" || value === null) return schema;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, realOf(each)]));
}
