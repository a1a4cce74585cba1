import { isPermittedHost } from '../../foundation/net/fetch-target.ts'
import { parseUrl } from '../../foundation/net/parse-url.ts'

/**
 * How a page plays a video: a page of the host in a frame, or a file in the player of the browser.
 */
export interface VideoPlayer {
  readonly kind: 'frame' | 'file'
  readonly url: string
  /** For the policy of the page. */
  readonly origin: string
}

/** The player of an address, if the school plays videos of its host; other videos are links. */
export function playerOf(address: string, hosts: readonly string[]): VideoPlayer | undefined {
  const typed = parseUrl(address)
  if (typed?.protocol !== 'https:' || typed.username !== '' || typed.password !== '') {
    return undefined
  }
  const url = playerPage(typed, hosts)
  // A host may contain a semicolon, which would begin another directive of the policy.
  if (url === undefined || !/^[a-z0-9.-]+$/.test(url.host)) return undefined
  const kind = /\.(?:mp4|m4v|webm|ogv)$/i.test(url.pathname) ? 'file' : 'frame'
  return { kind, url: url.href, origin: url.origin }
}

/**
 * The hosts that show a player, the one that keeps fewer cookies first, and what a school may write
 * for each.
 */
const YOUTUBE: readonly (readonly [player: string, names: readonly string[]])[] = [
  ['www.youtube-nocookie.com', ['www.youtube-nocookie.com', 'youtube-nocookie.com']],
  ['www.youtube.com', ['www.youtube.com', 'youtube.com', 'm.youtube.com', 'youtu.be']],
]
const VIMEO = ['player.vimeo.com', 'vimeo.com', 'www.vimeo.com']

/**
 * Pages for people cannot be shown in a frame, so those that schools copy most become the address
 * of their player.
 */
function playerPage(url: URL, hosts: readonly string[]): URL | undefined {
  const names = (host: string) => isPermittedHost(host, hosts)
  if (YOUTUBE.some(([, ours]) => ours.includes(url.host))) {
    const player = YOUTUBE.find(([, ours]) => ours.some(names))?.[0]
    return player === undefined ? undefined : youTube(player, url)
  }
  if (VIMEO.includes(url.host)) return VIMEO.some(names) ? vimeo(url) : undefined
  return names(url.host) ? url : undefined
}

/** Nothing is copied that we do not know: a parameter could tell the player to go elsewhere. */
function youTube(player: string, { host, pathname, searchParams, hash }: URL): URL | undefined {
  const list = /^[\w-]{2,100}$/.exec(searchParams.get('list') ?? '')?.[0]
  const video = host === 'youtu.be' ? pathname.slice(1) : youTubeVideo(pathname, searchParams)
  const isVideo = /^[\w-]{6,20}$/.test(video ?? '')
  if (!isVideo && (list === undefined || pathname !== '/playlist')) return undefined
  const url = new URL(`https://${player}/embed/${isVideo ? video : 'videoseries'}`)
  if (list !== undefined) url.searchParams.set('list', list)
  const from = searchParams.get('t') ?? searchParams.get('start') ?? timeInHash(hash)
  const start = secondsIn(from)
  if (start > 0) url.searchParams.set('start', String(start))
  return url
}

function youTubeVideo(path: string, query: URLSearchParams): string | null | undefined {
  if (path === '/watch') return query.get('v')
  return /^\/(?:shorts|live|embed)\/([^/]{1,20})$/.exec(path)?.[1]
}

const VIMEO_PATH =
  /^\/(?:video\/|channels\/[\w-]{1,100}\/|groups\/[\w-]{1,100}\/videos\/|showcase\/\d{1,20}\/video\/)?(\d{1,20})(?:\/([0-9a-f]{1,40}))?$/

/** A video that is not public has a second part, its key. */
function vimeo({ pathname, searchParams, hash }: URL): URL | undefined {
  const [, video, inPath] = VIMEO_PATH.exec(pathname) ?? []
  if (video === undefined) return undefined
  const url = new URL(`https://player.vimeo.com/video/${video}`)
  const key = inPath ?? /^[0-9a-f]{1,40}$/.exec(searchParams.get('h') ?? '')?.[0]
  if (key !== undefined) url.searchParams.set('h', key)
  const start = secondsIn(timeInHash(hash))
  if (start > 0) url.hash = `t=${start}s`
  return url
}

const timeInHash = (hash: string) => /^#t=(\w{1,20})$/.exec(hash)?.[1]

/** "90", "90s", "1h2m3s"; 0 for anything else. */
function secondsIn(text: string | null | undefined): number {
  const parts = /^(?:(\d{1,3})h)?(?:(\d{1,5})m)?(?:(\d{1,6})s?)?$/.exec(text ?? '')
  const [hours = 0, minutes = 0, seconds = 0] = (parts ?? [])
    .slice(1)
    .map((part) => Number(part ?? 0))
  return hours * 3600 + minutes * 60 + seconds
}
