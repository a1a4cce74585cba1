/**
 * A picture with nothing in it but the picture: no place, no device, no comment, nothing behind its
 * end.
 */
export interface CleanPicture {
  readonly contentType: 'image/png' | 'image/jpeg' | 'image/webp'
  readonly bytes: Buffer
  readonly width: number
  readonly height: number
}

export type PictureProblem = 'format' | 'broken' | 'moving' | 'size'

/** Pixels of a side. A picture with more would take a browser hundreds of megabytes to show. */
const SHORTEST_SIDE = 16
export const LONGEST_SIDE = 4096

const FORMATS = [
  { contentType: 'image/png', begins: /^89504e470d0a1a0a/, clean: cleanPng },
  { contentType: 'image/jpeg', begins: /^ffd8ff/, clean: cleanJpeg },
  { contentType: 'image/webp', begins: /^52494646.{8}57454250/, clean: cleanWebp },
] as const

/**
 * Recognises a picture by its bytes and copies only the parts that draw it. Pixels are not decoded:
 * a browser that finds them damaged shows nothing.
 */
export function cleanPicture(bytes: Buffer): CleanPicture | PictureProblem {
  const head = bytes.toString('hex', 0, 12)
  const format = FORMATS.find(({ begins }) => begins.test(head))
  if (format === undefined) return 'format'
  const read = format.clean(bytes)
  if (typeof read === 'string') return read
  const sides = [read.width, read.height]
  const fits = sides.every((side) => side >= SHORTEST_SIDE && side <= LONGEST_SIDE)
  return fits ? { contentType: format.contentType, ...read } : 'size'
}

const [SOI, EOI, SOS, DHT, DQT, DRI, APP1, APP14] = [
  0xd8, 0xd9, 0xda, 0xc4, 0xdb, 0xdd, 0xe1, 0xee,
] as const
/** Baseline, extended and progressive: what browsers show. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2])
const TABLES = new Set<number>([DHT, DQT, DRI, SOS])

/**
 * Keeps frames, tables and scans. Of Exif it keeps the orientation alone, because cameras store a
 * portrait lying on its side; of Adobe's segment all, because it says how colours are stored.
 *
 * @see ITU-T T.81 §B.1.1
 */
function cleanJpeg(bytes: Buffer): ReadPicture {
  const kept: Buffer[] = []
  let orientation = 1
  let frame: { readonly width: number; readonly height: number } | undefined
  let hasScan = false
  let at = 2
  for (;;) {
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at += 1
    const marker = bytes[at + 1]
    if (bytes[at] !== 0xff || marker === undefined) return 'broken'
    if (marker === EOI) break
    if (at + 4 > bytes.length) return 'broken'
    const end = at + 2 + bytes.readUInt16BE(at + 2)
    if (end < at + 4 || end > bytes.length) return 'broken'
    const segment = bytes.subarray(at, end)
    if (FRAMES.has(marker)) {
      if (frame !== undefined || segment.length < 9) return 'broken'
      frame = { height: segment.readUInt16BE(5), width: segment.readUInt16BE(7) }
      kept.push(segment)
    } else if (TABLES.has(marker)) kept.push(segment)
    else if (marker === APP14 && isAdobe(segment)) kept.push(segment)
    else if (marker === APP1) orientation = orientationIn(segment) ?? orientation
    at = end
    if (marker === SOS) {
      const scan = scanAt(bytes, at)
      kept.push(scan)
      at += scan.length
      hasScan = true
    }
  }
  if (frame === undefined || !hasScan) return 'broken'
  const begin = [Buffer.from([0xff, SOI]), ...orientationSegment(orientation)]
  return { bytes: Buffer.concat([...begin, ...kept, Buffer.from([0xff, EOI])]), ...frame }
}

/** Marker, length, five letters and seven bytes of numbers: it has no room for anything else. */
function isAdobe(segment: Buffer): boolean {
  return segment.length === 16 && segment.toString('latin1', 4, 9) === 'Adobe'
}

/**
 * The coded pixels from here to the next marker. A marker that restarts a scan, and the byte FF
 * itself, belong to them.
 */
function scanAt(bytes: Buffer, from: number): Buffer {
  let at = from
  for (;;) {
    at = bytes.indexOf(0xff, at)
    if (at === -1) return bytes.subarray(from)
    const next = bytes[at + 1] ?? EOI
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return bytes.subarray(from, at)
    at += 2
  }
}

const EXIF = 'Exif\0\0'
const TIFF_AT = 4 + EXIF.length
const ORIENTATION = 0x0112
const SHORT = 3
const ENTRY_BYTES = 12

/** How a picture is turned (1 to 8), if this segment of a JPEG is Exif and says so. */
function orientationIn(segment: Buffer): number | undefined {
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
function orientationSegment(orientation: number): readonly Buffer[] {
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

const SIGNATURE_BYTES = 8
/** Length, type and checksum around the data of a chunk. */
const AROUND_DATA = 12

/**
 * The chunks that draw a still picture. Texts, times, Exif, colour profiles and frames of
 * animations are left out.
 */
const DRAWING = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'IDAT', 'IEND'])

/** @see PNG (Third Edition) §5.3 */
function cleanPng(bytes: Buffer): ReadPicture {
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
function cleanWebp(bytes: Buffer): ReadPicture {
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

/**
 * What the parser of a format makes of a file: its clean bytes and its sides in pixels, or why
 * there are none.
 */
type ReadPicture =
  | { readonly bytes: Buffer; readonly width: number; readonly height: number }
  | 'broken'
  | 'moving'
