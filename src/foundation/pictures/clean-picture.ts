import { cleanJpeg } from './jpeg.ts'
import { cleanPng } from './png.ts'
import { cleanWebp } from './webp.ts'

/** A picture with nothing in it but the picture: no place, no device, no comment, nothing behind its end. */
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
 * Recognises a picture by its bytes and copies only the parts that draw it. Pixels are not decoded: a browser that
 * finds them damaged shows nothing.
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
