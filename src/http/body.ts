/** The text of a request's body; null if it is longer than so many bytes, of which no more than that were kept. */
export async function boundedText(request: Request, bytesMaximum: number): Promise<string | null> {
  if (Number(request.headers.get('content-length') ?? 0) > bytesMaximum) return null;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of request.body ?? []) {
    bytes += piece.length;
    if (bytes > bytesMaximum) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
