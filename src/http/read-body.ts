/** Larger bodies are refused; none of the service's requests comes near. */
export const maxBodyBytes = 64 * 1024;

/**
 * Reads a request's body as UTF-8. A body that is too large is read to its end all the same, so that a client
 * which sends before it listens gets its answer.
 * @returns `undefined` where it is over 64 KiB; an empty text where the client went away
 */
export async function readBody(request: Request): Promise<string | undefined> {
  try {
    const length = request.headers.get("Content-Length");
    if (length !== null && Number(length) <= maxBodyBytes) return await request.text();
    return await readBounded(request);
  } catch {
    return "";
  }
}

async function readBounded(request: Request): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  const reader = request.body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    bytes += read.value.byteLength;
    if (bytes <= maxBodyBytes) text += decoder.decode(read.value, { stream: true });
  }
  return bytes <= maxBodyBytes ? text + decoder.decode() : undefined;
}
