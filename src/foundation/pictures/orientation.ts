const EXIF = 'Exif\0\0'
const TIFF_AT = 4 + EXIF.length
const ORIENTATION = 0x0112
const SHORT = 3
const ENTRY_BYTES = 12

/** How a picture is turned (1 to 8), if this segment of a JPEG is Exif and says so. */
export function orientationIn(segment: Buffer): number | undefined {
  if (segment.toString('latin1', 4, TIFF_AT) !== EXIF) return undefined
  const tiff = segment.subarray(TIFF_AT)
  if (tiff.length < 8) return undefined
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const begin = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  if (begin + 2 > tiff.length) return undefined
  const entries = short(begin)
  for (let n = 0; n < entries; n += 1) {
    const at = begin + 2 + n * ENTRY_BYTES
    if (at + ENTRY_BYTES > tiff.length) return undefined
    if (short(at) !== ORIENTATION || short(at + 2) !== SHORT) continue
    const value = short(at + 8)
    return value >= 1 && value <= 8 ? value : undefined
  }
  return undefined
}

/** An Exif segment that says nothing but this; none for a picture that is not turned. */
export function orientationSegment(orientation: number): readonly Buffer[] {
  if (orientation === 1) return []
  const tiff = Buffer.alloc(26)
  tiff.write('MM\0*', 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(1, 8)
  tiff.writeUInt16BE(ORIENTATION, 10)
  tiff.writeUInt16BE(SHORT, 12)
  tiff.writeUInt32BE(1, 14)
  tiff.writeUInt16BE(orientation, 18)
  const head = Buffer.from([0xff, 0xe1, 0, 2 + EXIF.length + tiff.length])
  return [head, Buffer.from(EXIF, 'latin1'), tiff]
}
