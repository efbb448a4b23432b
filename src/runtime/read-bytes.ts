/**
 * Reads a request's body. A body over the limit is read to its end but not kept, because some clients read the response
 * only after they have sent the whole body.
 * @returns undefined if the body is over the limit
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  const declared = request.headers.get("Content-Length");
  if (declared !== null && Number(declared) <= maxBytes) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    length += read.value.byteLength;
    if (length <= maxBytes) chunks.push(read.value);
  }
  if (length > maxBytes) return undefined;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
