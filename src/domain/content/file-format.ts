/** Formats that a browser may show in a page: pictures that cannot hold a script. */
const PICTURES: Readonly<Record<string, (head: Buffer) => boolean>> = {
  'image/png': (head) => head.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')),
  'image/jpeg': (head) => head.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')),
  'image/gif': (head) => /^GIF8[79]a/.test(head.toString('latin1')),
  'image/webp': (head) => /^RIFF....WEBP/s.test(head.toString('latin1')),
}

/** A type without its parameters, which say nothing that we would act on. */
export function plainType(contentType: string): string {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  return /^[a-z0-9!#$&^_.+-]{1,90}\/[a-z0-9!#$&^_.+-]{1,90}$/.test(type)
    ? type
    : 'application/octet-stream'
}

/** Whether the bytes are what their type says, as far as a browser would act on it. */
export function fitsFormat(contentType: string, head: Buffer): boolean {
  return PICTURES[contentType]?.(head) ?? true
}

/** The type to serve: a picture's own, and for all others one that a browser only saves. */
export function servedType(contentType: string): string {
  return Object.hasOwn(PICTURES, contentType) ? contentType : 'application/octet-stream'
}
