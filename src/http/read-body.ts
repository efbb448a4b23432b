/** Larger bodies are refused; none of the service's requests comes near. */
export const maxBodyBytes = 64 * 1024;

/** A request's body: its text, or why there is none. */
export type Body = { readonly text: string } | { readonly unreadable: "too large" | "not UTF-8" | "cut off" };

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a request's body as UTF-8. One that is too large is read to its end all the same, so that a client
 * which sends before it listens gets its answer.
 */
export async function readBody(request: Request): Promise<Body> {
  let bytes: Uint8Array | undefined;
  try {
    const length = request.headers.get("Content-Length");
    bytes =
      length !== null && Number(length) <= maxBodyBytes
        ? new Uint8Array(await request.arrayBuffer())
        : await readBounded(request);
  } catch {
    return { unreadable: "cut off" };
  }
  return bytes === undefined ? { unreadable: "too large" } : bodyOf(bytes);
}

/** The body that these bytes are. */
export function bodyOf(bytes: Uint8Array): Body {
  if (bytes.byteLength > maxBodyBytes) return { unreadable: "too large" };
  try {
    return { text: utf8.decode(bytes) };
  } catch {
    return { unreadable: "not UTF-8" };
  }
}

async function readBounded(request: Request): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(maxBodyBytes);
  let length = 0;
  const reader = request.body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    if (length + read.value.byteLength <= maxBodyBytes) bytes.set(read.value, length);
    length += read.value.byteLength;
  }
  return length <= maxBodyBytes ? bytes.subarray(0, length) : undefined;
}
