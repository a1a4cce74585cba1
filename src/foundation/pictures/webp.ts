import type { ReadPicture } from './read-picture.ts'

const HEADER_BYTES = 12
/** Of the flags of VP8X, the one that says that there is transparency. */
const HAS_ALPHA = 0x10

interface Side {
  readonly width: number
  readonly height: number
}

/**
 * Keeps the pixels and their transparency. Exif, XMP and colour profiles are left out.
 *
 * @see RFC 9649 §2
 */
export function cleanWebp(bytes: Buffer): ReadPicture {
  const kept: Buffer[] = []
  let side: Side | undefined
  const length = Math.min(bytes.length, 8 + bytes.readUInt32LE(4))
  let at = HEADER_BYTES
  let hasPixels = false
  while (at + 8 <= length) {
    const type = bytes.toString('latin1', at, at + 4)
    const size = bytes.readUInt32LE(at + 4)
    const end = at + 8 + size
    if (end > length) return 'broken'
    if (type === 'ANIM' || type === 'ANMF') return 'moving'
    const data = bytes.subarray(at + 8, end)
    if (type === 'VP8X') {
      if (kept.length > 0 || size !== 10) return 'broken'
      side = { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 }
      const flags = (data[0] ?? 0) & HAS_ALPHA
      kept.push(chunk(type, Buffer.concat([Buffer.from([flags, 0, 0, 0]), data.subarray(4)])))
    } else if (type === 'ALPH') kept.push(chunk(type, data))
    else if (type === 'VP8 ' || type === 'VP8L') {
      const own = type === 'VP8 ' ? sideOfLossy(data) : sideOfLossless(data)
      if (own === undefined || hasPixels) return 'broken'
      side ??= own
      hasPixels = true
      kept.push(chunk(type, data))
    }
    at = end + (size % 2)
  }
  if (side === undefined || !hasPixels) return 'broken'
  const body = Buffer.concat([Buffer.from('WEBP'), ...kept])
  return { bytes: chunk('RIFF', body), ...side }
}

function chunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}

/** @see RFC 6386 §9.1 */
function sideOfLossy(data: Buffer): Side | undefined {
  if (data.length < 10 || data.toString('hex', 3, 6) !== '9d012a') return undefined
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff }
}

/** @see RFC 9649 §3.4 */
function sideOfLossless(data: Buffer): Side | undefined {
  if (data.length < 5 || data[0] !== 0x2f) return undefined
  const bits = data.readUInt32LE(1)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}
