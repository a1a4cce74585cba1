import type { ReadPicture } from './read-picture.ts'

const SIGNATURE_BYTES = 8
/** Length, type and checksum around the data of a chunk. */
const AROUND_DATA = 12

/** The chunks that draw a still picture. Texts, times, Exif, colour profiles and frames of animations are left out. */
const DRAWING = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'IDAT', 'IEND'])

/** @see PNG (Third Edition) §5.3 */
export function cleanPng(bytes: Buffer): ReadPicture {
  const kept = [bytes.subarray(0, SIGNATURE_BYTES)]
  const types: string[] = []
  let at = SIGNATURE_BYTES
  while (types.at(-1) !== 'IEND') {
    if (at + AROUND_DATA > bytes.length) return 'broken'
    const type = bytes.toString('latin1', at + 4, at + 8)
    const end = at + AROUND_DATA + bytes.readUInt32BE(at)
    if (end > bytes.length) return 'broken'
    if (DRAWING.has(type)) kept.push(bytes.subarray(at, end))
    types.push(type)
    at = end
  }
  if (types[0] !== 'IHDR' || !types.includes('IDAT') || kept[1]?.length !== AROUND_DATA + 13) {
    return 'broken'
  }
  return {
    bytes: Buffer.concat(kept),
    width: bytes.readUInt32BE(SIGNATURE_BYTES + 8),
    height: bytes.readUInt32BE(SIGNATURE_BYTES + 12),
  }
}
