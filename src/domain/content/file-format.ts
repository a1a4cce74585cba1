/** Formats that a browser may show in a page: images that cannot contain a script. */
const PICTURES: Readonly<Record<string, (head: Buffer) => boolean>> = {
  'image/png': (head) => head.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')),
  'image/jpeg': (head) => head.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')),
  'image/gif': (head) => /^GIF8[79]a/.test(head.toString('latin1')),
  'image/webp': (head) => /^RIFF....WEBP/s.test(head.toString('latin1')),
}

/** A media type without its parameters, which we do not use. */
export function plainType(contentType: string): string {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  return /^[a-z0-9!#$&^_.+-]{1,90}\/[a-z0-9!#$&^_.+-]{1,90}$/.test(type)
    ? type
    : 'application/octet-stream'
}

/** Whether the bytes match their media type; checked only for the types that a browser shows. */
export function fitsFormat(contentType: string, head: Buffer): boolean {
  return PICTURES[contentType]?.(head) ?? true
}

/** The media type to serve: that of an image, and for all other files one that a browser only saves. */
export function servedType(contentType: string): string {
  return isPicture(contentType) ? contentType : 'application/octet-stream'
}

/** Other files are served as downloads, which a browser does not show. */
export function isPicture(contentType: string): boolean {
  return Object.hasOwn(PICTURES, contentType)
}
