import { orientationIn, orientationSegment } from './orientation.ts'
import type { ReadPicture } from './read-picture.ts'

const [SOI, EOI, SOS, DHT, DQT, DRI, APP1, APP14] = [
  0xd8, 0xd9, 0xda, 0xc4, 0xdb, 0xdd, 0xe1, 0xee,
] as const
/** Baseline, extended and progressive: what browsers show. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2])
const TABLES = new Set<number>([DHT, DQT, DRI, SOS])

/**
 * Keeps frames, tables and scans. Of Exif it keeps the orientation alone, because cameras store a portrait lying on its
 * side; of Adobe's segment all, because it says how colours are stored.
 *
 * @see ITU-T T.81 §B.1.1
 */
export function cleanJpeg(bytes: Buffer): ReadPicture {
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

/** The coded pixels from here to the next marker. A marker that restarts a scan, and the byte FF itself, belong to them. */
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
