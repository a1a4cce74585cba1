import { crc32, deflateSync, inflateSync } from 'node:zlib'

/**
 * The same picture with its 256 most common colours, at about a third of the size: screenshots live
 * in the repository, and all that is lost is a shade at the edge of a letter.
 */
export function shrinkPng(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png)
  const counts = new Map<number, number>()
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1)
  const palette = [...counts].sort((a, b) => b[1] - a[1]).map(([color]) => color)
  palette.length = Math.min(palette.length, 256)
  const indexOf = new Map([...counts.keys()].map((color) => [color, nearest(palette, color)]))
  const rows = Buffer.alloc(height * (width + 1))
  pixels.forEach((color, i) => {
    rows[i + Math.floor(i / width) + 1] = indexOf.get(color) ?? 0
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3], 8)
  return Buffer.concat([
    png.subarray(0, 8),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(channels))),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function channels(color: number): number[] {
  return [color >> 16, (color >> 8) & 255, color & 255]
}

function nearest(palette: readonly number[], color: number): number {
  const wanted = channels(color)
  const distances = palette.map((candidate) =>
    channels(candidate).reduce((sum, value, i) => sum + Math.abs(value - (wanted[i] ?? 0)), 0),
  )
  return distances.indexOf(Math.min(...distances))
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/** Reads what Chromium writes: eight bits per channel, no alpha, not interlaced. */
function decode(png: Buffer): { width: number; height: number; pixels: Uint32Array } {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  if (png[24] !== 8 || png[25] !== 2) throw new Error('Expected a PNG of 24 bits without alpha')
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const end = at + 8 + png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, end))
  }
  const bytes = unfilter(inflateSync(Buffer.concat(parts)), width * 3, height)
  const pixels = new Uint32Array(width * height)
  for (let i = 0; i < pixels.length; i += 1) pixels[i] = bytes.readUIntBE(i * 3, 3)
  return { width, height, pixels }
}

/** @see PNG specification, third edition, §9 */
function unfilter(filtered: Buffer, stride: number, height: number): Buffer {
  const out = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y += 1) {
    const filter = filtered[y * (stride + 1)]
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x
      const left = x < 3 ? 0 : (out[at - 3] ?? 0)
      const up = y === 0 ? 0 : (out[at - stride] ?? 0)
      const corner = x < 3 || y === 0 ? 0 : (out[at - stride - 3] ?? 0)
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0
      out[at] = (filtered[y * (stride + 1) + 1 + x] ?? 0) + guess
    }
  }
  return out
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(estimate - value))
  if (a === undefined || b === undefined || c === undefined) return 0
  if (a <= b && a <= c) return left
  return b <= c ? up : corner
}
