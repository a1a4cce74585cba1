type MediaRange = { readonly type: string; readonly subtype: string; readonly quality: number }

const HEADER_LIMIT = 2048
const TOKEN = "[!#$%&'*+.^_`|~0-9a-z-]+"
const RANGE = new RegExp(`^\\s*(${TOKEN})/(${TOKEN})\\s*(?:;(.*))?$`, 's')
const QUALITY = /(?:^|;)\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*(?:;|$)/

/**
 * Chooses one of the media types that we can answer with. Where the caller has no preference, the
 * first one wins. Undefined means that the caller accepts none of them (406).
 *
 * Parameters other than `q` are ignored: we offer no type in two shapes, and callers commonly add
 * `charset=utf-8`.
 *
 * @see RFC 9110 §12.5.1
 */
export function chooseMediaType<T extends string>(
  accept: string | undefined,
  offers: readonly T[],
): T | undefined {
  if (accept === undefined || accept.trim() === '') return offers[0]
  const ranges = parseAccept(accept)
  let best: T | undefined
  let bestQuality = 0
  for (const offer of offers) {
    const quality = qualityOf(offer, ranges)
    if (quality > bestQuality) {
      best = offer
      bestQuality = quality
    }
  }
  return best
}

/** Whether an error or a 404 should be a page: true for browsers, false for programs. */
export function wantsHtml(accept: string | undefined): boolean {
  return chooseMediaType(accept, ['application/json', 'text/html']) === 'text/html'
}

function parseAccept(accept: string): MediaRange[] {
  const ranges: MediaRange[] = []
  for (const part of accept.slice(0, HEADER_LIMIT).toLowerCase().split(',')) {
    const range = RANGE.exec(part)
    if (range?.[1] === undefined || range[2] === undefined) continue
    ranges.push({ type: range[1], subtype: range[2], quality: parseQuality(range[3]) })
  }
  return ranges
}

/** A `q` that is not a number between 0 and 1 counts as 0, not as 1. */
function parseQuality(parameters: string | undefined): number {
  if (parameters === undefined || !/(?:^|;)\s*q\s*=/.test(parameters)) return 1
  const quality = QUALITY.exec(parameters)?.[1]
  return quality === undefined ? 0 : Number(quality)
}

/** The most specific range decides, even when it says 0. */
function qualityOf(offer: string, ranges: readonly MediaRange[]): number {
  const [type, subtype] = offer.split('/')
  let specificity = 0
  let quality = 0
  for (const range of ranges) {
    const found = specificityOf(range, type, subtype)
    if (found > specificity || (found === specificity && found > 0 && range.quality > quality)) {
      specificity = found
      quality = range.quality
    }
  }
  return quality
}

function specificityOf(
  range: MediaRange,
  type: string | undefined,
  subtype: string | undefined,
): number {
  if (range.type === '*') return range.subtype === '*' ? 1 : 0
  if (range.type !== type) return 0
  if (range.subtype === '*') return 2
  return range.subtype === subtype ? 3 : 0
}
