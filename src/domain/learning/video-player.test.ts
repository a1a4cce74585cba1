import { expect, test } from 'vitest'
import { playerOf } from './video-player.ts'

const YOUTUBE = 'www.youtube-nocookie.com'
const HOSTS = [YOUTUBE, 'player.vimeo.com', '*.films.example']

test.each([
  ['https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=3', `https://${YOUTUBE}/embed/dQw4w9WgXcQ`],
  ['https://youtu.be/dQw4w9WgXcQ', `https://${YOUTUBE}/embed/dQw4w9WgXcQ`],
  ['https://m.youtube.com/shorts/dQw4w9WgXcQ', `https://${YOUTUBE}/embed/dQw4w9WgXcQ`],
  ['https://vimeo.com/76979871', 'https://player.vimeo.com/video/76979871'],
  ['https://vimeo.com/76979871/abc123', 'https://player.vimeo.com/video/76979871?h=abc123'],
  ['https://cdn.films.example/one', 'https://cdn.films.example/one'],
])('%s plays in a frame', (address, url) => {
  expect(playerOf(address, HOSTS)).toEqual({ kind: 'frame', url, origin: new URL(url).origin })
})

test('a file plays in the player of the browser', () => {
  expect(playerOf('https://cdn.films.example/one.MP4?x=1', HOSTS)?.kind).toBe('file')
})

test.each([
  'https://films.example/one.mp4',
  'https://cdn.films.example.evil.example/one.mp4',
  'https://cdn.films.example:8443/one.mp4',
  'http://cdn.films.example/one.mp4',
  'https://www.youtube.com/watch?v=%22%3E%3Cscript%3E',
  'https://www.youtube.com/watch?v=../../evil',
  'https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ',
  'https://a;script-src.films.example/one.mp4',
  'javascript:alert(1)',
  '',
])('%j does not play', (address) => {
  expect(playerOf(address, HOSTS)).toBeUndefined()
})

test('nothing plays at a school that names no host', () => {
  expect(playerOf('https://youtu.be/dQw4w9WgXcQ', [])).toBeUndefined()
})
