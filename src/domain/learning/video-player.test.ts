import { describe, expect, test } from 'vitest'
import { playerOf } from './video-player.ts'

const NO_COOKIES = 'https://www.youtube-nocookie.com/embed'
const HOSTS = [
  'www.youtube-nocookie.com',
  'player.vimeo.com',
  '*.films.example',
  'xn--flm-rma.example',
]
const ID = 'dQw4w9WgXcQ'

describe('a page of a host of videos plays in a frame', () => {
  test.each([
    [`https://www.youtube.com/watch?v=${ID}`, `${NO_COOKIES}/${ID}`],
    [`https://youtube.com/watch?v=${ID}&feature=share`, `${NO_COOKIES}/${ID}`],
    [`https://m.youtube.com/watch?app=desktop&v=${ID}`, `${NO_COOKIES}/${ID}`],
    [`https://www.youtube.com/watch?v=${ID}&t=90`, `${NO_COOKIES}/${ID}?start=90`],
    [`https://www.youtube.com/watch?v=${ID}&t=1h2m3s`, `${NO_COOKIES}/${ID}?start=3723`],
    [`https://www.youtube.com/watch?v=${ID}#t=2m`, `${NO_COOKIES}/${ID}?start=120`],
    [`https://www.youtube.com/watch?v=${ID}&t=soon`, `${NO_COOKIES}/${ID}`],
    [`https://www.youtube.com/watch?v=${ID}&list=PL590L5`, `${NO_COOKIES}/${ID}?list=PL590L5`],
    ['https://www.youtube.com/playlist?list=PL590L5', `${NO_COOKIES}/videoseries?list=PL590L5`],
    [`https://youtu.be/${ID}`, `${NO_COOKIES}/${ID}`],
    [`https://youtu.be/${ID}?si=abc&t=43s`, `${NO_COOKIES}/${ID}?start=43`],
    [`https://m.youtube.com/shorts/${ID}`, `${NO_COOKIES}/${ID}`],
    [`https://www.youtube.com/live/${ID}`, `${NO_COOKIES}/${ID}`],
    [`https://www.youtube.com/embed/${ID}?start=30`, `${NO_COOKIES}/${ID}?start=30`],
    [`https://www.youtube-nocookie.com/embed/${ID}`, `${NO_COOKIES}/${ID}`],
    ['https://vimeo.com/76979871', 'https://player.vimeo.com/video/76979871'],
    ['https://vimeo.com/76979871/abc123', 'https://player.vimeo.com/video/76979871?h=abc123'],
    ['https://vimeo.com/76979871?h=abc123', 'https://player.vimeo.com/video/76979871?h=abc123'],
    ['https://vimeo.com/channels/staff/76979871', 'https://player.vimeo.com/video/76979871'],
    ['https://vimeo.com/76979871#t=1m30s', 'https://player.vimeo.com/video/76979871#t=90s'],
    [
      'https://player.vimeo.com/video/76979871?h=abc123',
      'https://player.vimeo.com/video/76979871?h=abc123',
    ],
    ['https://cdn.films.example/one', 'https://cdn.films.example/one'],
  ])('%s', (address, url) => {
    expect(playerOf(address, HOSTS)).toEqual({ kind: 'frame', url, origin: new URL(url).origin })
  })
})

describe('every name of YouTube or Vimeo that a school writes lets their videos play', () => {
  const [video, film] = [`https://youtu.be/${ID}`, 'https://vimeo.com/76979871']
  test.each([
    ['www.youtube.com', video, `https://www.youtube.com/embed/${ID}`],
    ['youtube.com', video, `https://www.youtube.com/embed/${ID}`],
    ['*.youtube.com', video, `https://www.youtube.com/embed/${ID}`],
    ['youtu.be', video, `https://www.youtube.com/embed/${ID}`],
    ['youtube-nocookie.com', video, `${NO_COOKIES}/${ID}`],
    ['vimeo.com', film, 'https://player.vimeo.com/video/76979871'],
    ['www.vimeo.com', film, 'https://player.vimeo.com/video/76979871'],
  ])('%s', (host, address, url) => {
    expect(playerOf(address, [host])).toEqual({ kind: 'frame', url, origin: new URL(url).origin })
  })

  test('with both names of YouTube, the one that keeps fewer cookies is taken', () => {
    const hosts = ['www.youtube.com', 'www.youtube-nocookie.com']
    expect(playerOf(`https://www.youtube.com/watch?v=${ID}`, hosts)?.url).toBe(
      `${NO_COOKIES}/${ID}`,
    )
  })
})

describe('a file plays in the player of the browser', () => {
  test.each([
    'https://cdn.films.example/one.mp4',
    'https://cdn.films.example/one.MP4?x=1',
    'https://cdn.films.example:443/a/b.webm',
    'https://fílm.example/one.ogv',
  ])('%s', (address) => {
    const { href, origin } = new URL(address)
    expect(playerOf(address, HOSTS)).toEqual({ kind: 'file', url: href, origin })
  })
})

describe('attacks: an address that does not play', () => {
  test.each([
    ['is no URL', ''],
    ['runs a script', 'javascript:alert(1)'],
    ['runs a script behind a name of a host', 'javascript://www.youtube.com/%0aalert(1)'],
    ['carries its own page', 'data:text/html,<script>alert(1)</script>'],
    ['is not encrypted', 'http://cdn.films.example/one.mp4'],
    ['is not encrypted, at a host that we know', `http://www.youtube.com/watch?v=${ID}`],
    ['is of a host that is not named', 'https://films.example/one.mp4'],
    ['ends in another host', 'https://cdn.films.example.evil.example/one.mp4'],
    ['ends in another host that we know', `https://youtube.com.evil.example/watch?v=${ID}`],
    ['begins like a host that we know', `https://evilyoutube.com/watch?v=${ID}`],
    ['has a host as the name of a user', 'https://cdn.films.example@evil.example/one.mp4'],
    ['has a user', 'https://ada@cdn.films.example/one.mp4'],
    ['has a password, at a host that we know', `https://a:b@www.youtube.com/watch?v=${ID}`],
    ['has another port', 'https://cdn.films.example:8443/one.mp4'],
    ['has another port, at a host that we know', `https://www.youtube.com:8443/watch?v=${ID}`],
    ['looks like a host that we know', `https://www.yоutube.com/watch?v=${ID}`],
    ['looks like a named host', 'https://cdn.fílms.example/one.mp4'],
    ['has a backslash before the host', 'https:\\\\evil.example\\cdn.films.example/one.mp4'],
    ['begins another directive', 'https://a;script-src.films.example/one.mp4'],
    ['is a video with a tag', 'https://www.youtube.com/watch?v=%22%3E%3Cscript%3E'],
    ['is a video with a path', 'https://www.youtube.com/watch?v=../../evil'],
    ['leads away', `https://www.youtube.com/redirect?q=https://evil.example/?v=${ID}`],
    ['is the page of a channel', 'https://www.youtube.com/@evil'],
    ['is a list with a path', 'https://www.youtube.com/playlist?list=../evil'],
    ['is a film with a path', 'https://vimeo.com/76979871/../evil'],
    ['is a film without a number', 'https://player.vimeo.com/embed?url=https://evil.example'],
  ])('%s', (_, address) => {
    expect(playerOf(address, HOSTS)).toBeUndefined()
  })

  test('parameters that name another place are not given to the player', () => {
    const evil = encodeURIComponent('https://evil.example')
    const address = `https://www.youtube.com/embed/${ID}?origin=${evil}&list=${evil}&start=${evil}&u=${evil}`
    expect(playerOf(address, HOSTS)?.url).toBe(`${NO_COOKIES}/${ID}`)
    const film = `https://player.vimeo.com/video/76979871?h=${evil}&url=${evil}#${evil}`
    expect(playerOf(film, HOSTS)?.url).toBe('https://player.vimeo.com/video/76979871')
  })

  test('a parameter of a file leaves its origin in the policy', () => {
    const address = 'https://cdn.films.example/one.mp4?redirect=https://evil.example'
    expect(playerOf(address, HOSTS)?.origin).toBe('https://cdn.films.example')
  })

  test('nothing plays at a school that names no host', () => {
    expect(playerOf(`https://youtu.be/${ID}`, [])).toBeUndefined()
    expect(playerOf(`https://youtu.be/${ID}`, ['evil.example'])).toBeUndefined()
  })
})
