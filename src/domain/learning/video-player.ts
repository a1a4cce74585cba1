import { parseUrl } from '../../foundation/net/parse-url.ts'
import { isPermittedHost } from '../clients/metadata/permitted-host.ts'

/** How a page plays a video: a page of the host in a frame, or a file in the player of the browser. */
export interface VideoPlayer {
  readonly kind: 'frame' | 'file'
  readonly url: string
  /** For the policy of the page. */
  readonly origin: string
}

/** The player of an address, if the school plays videos of its host; other videos are links. */
export function playerOf(address: string, hosts: readonly string[]): VideoPlayer | undefined {
  const typed = parseUrl(address)
  const url = typed && (playerPage(typed) ?? typed)
  if (url?.protocol !== 'https:' || !isPermittedHost(url.host, hosts)) return undefined
  // A host may contain a semicolon, which would begin another directive of the policy.
  if (!/^[a-z0-9.-]+$/.test(url.host)) return undefined
  const kind = /\.(?:mp4|m4v|webm|ogv)$/i.test(url.pathname) ? 'file' : 'frame'
  return { kind, url: url.href, origin: url.origin }
}

/** Pages for people cannot be shown in a frame, so those that schools copy most become the address of their player. */
function playerPage({ host, pathname, searchParams }: URL): URL | undefined {
  const site = host.replace(/^(?:www|m)\./, '')
  if (site === 'youtu.be') return youTube(pathname.slice(1))
  if (site === 'youtube.com' && pathname === '/watch') return youTube(searchParams.get('v') ?? '')
  if (site === 'youtube.com') return youTube(/^\/(?:shorts|live|embed)\/(.*)$/.exec(pathname)?.[1])
  if (site !== 'vimeo.com') return undefined
  const [, video, key] = /^\/(\d+)(?:\/([0-9a-f]+))?$/.exec(pathname) ?? []
  if (video === undefined) return undefined
  return new URL(`https://player.vimeo.com/video/${video}${key === undefined ? '' : `?h=${key}`}`)
}

function youTube(video: string | undefined): URL | undefined {
  if (video === undefined || !/^[\w-]{6,20}$/.test(video)) return undefined
  return new URL(`https://www.youtube-nocookie.com/embed/${video}`)
}
