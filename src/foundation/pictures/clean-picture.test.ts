import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { cleanPicture } from './clean-picture.ts'

const SECRET = 'GPS 48.8584 N 2.2945 E'

function pngChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(data.length)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, data, Buffer.alloc(4)])
}

function aPng(width: number, height: number, ...extra: Buffer[]): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const pixels = deflateSync(Buffer.alloc((Math.min(width, 64) + 1) * Math.min(height, 64)))
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    ...extra,
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function segment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, data])
}

/** Exif as a phone writes it: orientation 6, then a text. */
function exif(isLittle: boolean): Buffer {
  const tiff = Buffer.alloc(8 + 2 + 2 * 12)
  const short = (value: number, at: number) =>
    isLittle ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at)
  const long = (value: number, at: number) =>
    isLittle ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at)
  tiff.write(isLittle ? 'II' : 'MM', 'latin1')
  short(42, 2)
  long(8, 4)
  short(2, 8)
  for (const [at, tag, type, value] of [
    [10, 0x010e, 2, 0],
    [22, 0x0112, 3, 6],
  ] as const) {
    short(tag, at)
    short(type, at + 2)
    long(1, at + 4)
    short(value, at + 8)
  }
  return Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, Buffer.from(SECRET)])
}

function aJpeg(width: number, height: number, ...extra: Buffer[]): Buffer {
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0])
  frame.writeUInt16BE(height, 1)
  frame.writeUInt16BE(width, 3)
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, Buffer.from('JFIF\0')),
    ...extra,
    segment(0xdb, Buffer.alloc(65, 1)),
    segment(0xc0, frame),
    segment(0xc4, Buffer.alloc(20)),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    // A byte FF of the pixels, and a restart: neither ends the scan.
    Buffer.from([1, 0xff, 0, 2, 0xff, 0xd0, 3]),
    Buffer.from([0xff, 0xd9]),
    Buffer.from(SECRET),
  ])
}

function riff(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}

function lossy(width: number, height: number): Buffer {
  const data = Buffer.from('0000009d012a00000000aa', 'hex')
  data.writeUInt16LE(width, 6)
  data.writeUInt16LE(height, 8)
  return riff('VP8 ', data)
}

function lossless(width: number, height: number): Buffer {
  const data = Buffer.from([0x2f, 0, 0, 0, 0, 7])
  data.writeUInt32LE((width - 1) | ((height - 1) << 14), 1)
  return riff('VP8L', data)
}

function extended(flags: number, width: number, height: number): Buffer {
  const data = Buffer.alloc(10)
  data[0] = flags
  data.writeUIntLE(width - 1, 4, 3)
  data.writeUIntLE(height - 1, 7, 3)
  return riff('VP8X', data)
}

const aWebp = (...chunks: Buffer[]) => riff('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]))

/** The clean picture; fails if there is none. */
function cleaned(bytes: Buffer) {
  const picture = cleanPicture(bytes)
  if (typeof picture === 'string') throw new Error(`refused: ${picture}`)
  return picture
}

describe('a PNG', () => {
  test('keeps its pixels and loses texts, times, Exif and what stands behind its end', () => {
    const extra = ['tEXt', 'iTXt', 'zTXt', 'eXIf', 'tIME', 'iCCP', 'acTL', 'priv'].map((type) =>
      pngChunk(type, Buffer.from(SECRET)),
    )
    const palette = pngChunk('PLTE', Buffer.alloc(6))
    const picture = cleaned(Buffer.concat([aPng(40, 30, palette, ...extra), Buffer.from(SECRET)]))
    expect(picture).toMatchObject({ contentType: 'image/png', width: 40, height: 30 })
    expect(picture.bytes).toEqual(aPng(40, 30, palette))
  })

  test('that is cut short, or that lies about a length, is refused', () => {
    const whole = aPng(40, 30)
    for (const end of [20, 33, whole.length - 1]) {
      expect(cleanPicture(whole.subarray(0, end)), String(end)).toBe('broken')
    }
    const lying = Buffer.from(whole)
    lying.writeUInt32BE(0xffffffff, 33)
    expect(cleanPicture(lying)).toBe('broken')
  })
})

describe('a JPEG', () => {
  test('keeps its pixels and loses Exif, comments, thumbnails and what stands behind its end', () => {
    const extra = [
      segment(0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0${SECRET}`)),
      segment(0xe2, Buffer.from(`ICC_PROFILE\0${SECRET}`)),
      segment(0xed, Buffer.from(`Photoshop 3.0\0${SECRET}`)),
      segment(0xee, Buffer.from(`Adobe${SECRET}`)),
      segment(0xfe, Buffer.from(SECRET)),
    ]
    const picture = cleaned(aJpeg(640, 480, ...extra))
    expect(picture).toMatchObject({ contentType: 'image/jpeg', width: 640, height: 480 })
    expect(picture.bytes.includes(SECRET)).toBe(false)
    expect(picture.bytes.includes('JFIF')).toBe(false)
    expect(picture.bytes.includes(Buffer.from([1, 0xff, 0, 2, 0xff, 0xd0, 3, 0xff, 0xd9]))).toBe(
      true,
    )
    expect(cleaned(picture.bytes).bytes).toEqual(picture.bytes)
  })

  test('keeps how it is turned, and nothing else of Exif', () => {
    for (const isLittle of [true, false]) {
      const { bytes } = cleaned(aJpeg(640, 480, segment(0xe1, exif(isLittle))))
      expect(bytes.includes(SECRET)).toBe(false)
      expect(bytes.subarray(2, 4)).toEqual(Buffer.from([0xff, 0xe1]))
      expect(bytes.indexOf(Buffer.from('0112000300000001000600', 'hex'))).toBeGreaterThan(0)
      expect(cleaned(bytes).bytes).toEqual(bytes)
    }
  })

  test('keeps the segment that says how colours are stored', () => {
    const adobe = segment(0xee, Buffer.from('Adobe\0\x64\0\0\0\0\x01', 'latin1'))
    expect(cleaned(aJpeg(64, 64, adobe)).bytes.includes(adobe)).toBe(true)
  })

  test('that is cut short, has no pixels or has a damaged Exif is refused or cleaned', () => {
    const whole = aJpeg(64, 64)
    const end = whole.length - SECRET.length
    for (let length = 3; length < end; length += 1) {
      expect(cleanPicture(whole.subarray(0, length)), String(length)).toBe('broken')
    }
    const damaged = segment(0xe1, Buffer.from('Exif\0\0II*\0\xff\xff\xff\xff', 'latin1'))
    expect(cleaned(aJpeg(64, 64, damaged)).bytes.includes('Exif')).toBe(false)
  })
})

describe('a WebP', () => {
  test('keeps its pixels and loses Exif, XMP and its colour profile', () => {
    const alpha = riff('ALPH', Buffer.from([1, 2, 3]))
    const bytes = aWebp(
      extended(0x3c, 300, 200),
      riff('ICCP', Buffer.from(SECRET)),
      alpha,
      lossy(300, 200),
      riff('EXIF', Buffer.from(SECRET)),
      riff('XMP ', Buffer.from(SECRET)),
      riff('abcd', Buffer.from(SECRET)),
    )
    const picture = cleaned(bytes)
    expect(picture).toMatchObject({ contentType: 'image/webp', width: 300, height: 200 })
    expect(picture.bytes).toEqual(aWebp(extended(0x10, 300, 200), alpha, lossy(300, 200)))
  })

  test('has the sides that its pixels say', () => {
    expect(cleaned(aWebp(lossy(120, 80)))).toMatchObject({ width: 120, height: 80 })
    expect(cleaned(aWebp(lossless(121, 81)))).toMatchObject({ width: 121, height: 81 })
    expect(cleaned(Buffer.concat([aWebp(lossy(120, 80)), Buffer.from(SECRET)])).bytes).toEqual(
      aWebp(lossy(120, 80)),
    )
  })

  test('that moves, is cut short or has no pixels is refused', () => {
    expect(cleanPicture(aWebp(extended(2, 64, 64), riff('ANIM', Buffer.alloc(6))))).toBe('moving')
    expect(cleanPicture(aWebp(extended(0, 64, 64)))).toBe('broken')
    const whole = aWebp(lossy(64, 64))
    expect(cleanPicture(whole.subarray(0, whole.length - 2))).toBe('broken')
  })
})

test('other bytes are no picture, whatever they call themselves', () => {
  for (const text of ['', 'GIF89a', '<svg onload="alert(1)"/>', '<!doctype html>', '\x89PNG']) {
    expect(cleanPicture(Buffer.from(text, 'latin1')), text).toBe('format')
  }
})

test('a side that is too long or too short is refused: a browser would need too much memory', () => {
  expect(cleaned(aPng(4096, 16))).toMatchObject({ width: 4096, height: 16 })
  for (const [width, height] of [
    [4097, 16],
    [64, 15],
    [0x7fffffff, 64],
  ] as const) {
    expect(cleanPicture(aPng(width, height))).toBe('size')
  }
})
