import { crc32, deflateSync } from 'node:zlib'

export function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, checksum])
}

/** A real picture in one shade of grey, which a browser shows. */
export function aPng(side: number, shade = 128, ...extra: Buffer[]): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side)
  header.writeUInt32BE(side, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const row = Buffer.concat([Buffer.alloc(1), Buffer.alloc(side, shade)])
  const pixels = Buffer.concat(Array.from({ length: side }, () => row))
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    ...extra,
    pngChunk('IDAT', deflateSync(pixels)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function jpegSegment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, data])
}

/**
 * A JPEG of exactly so many bytes, lying on its side, whose Exif is as short as a reader accepts:
 * with no end of its list.
 */
export function aTurnedJpeg(bytes: number): Buffer {
  const exif = Buffer.from('4578696600004d4d002a000000080001011200030000000100060000', 'hex')
  const before = Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    jpegSegment(0xe1, exif),
    jpegSegment(0xdb, Buffer.alloc(65, 1)),
    jpegSegment(0xc0, Buffer.from([8, 0, 32, 0, 32, 1, 1, 0x11, 0])),
    jpegSegment(0xc4, Buffer.alloc(20)),
    jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
  ])
  const scan = Buffer.alloc(bytes - before.length - 2, 1)
  return Buffer.concat([before, scan, Buffer.from([0xff, 0xd9])])
}
