import { describe, expect, test } from 'vitest'
import { judgeTarget } from './fetch-target.ts'

const judge = (url: string, allowLoopbackHttp = false) =>
  judgeTarget(new URL(url), { allowLoopbackHttp })

describe('judgeTarget', () => {
  test('a public https URL is a target on port 443, spelled out or not', () => {
    for (const url of ['https://app.example.com/x', 'https://app.example.com:443/x']) {
      expect(judge(url)).toMatchObject({
        ok: true,
        target: { hostname: 'app.example.com', port: 443, loopback: false },
      })
    }
  })

  test('an IPv6 literal is dialled without its brackets', () => {
    expect(judge('http://[::1]:4000/x', true)).toMatchObject({
      ok: true,
      target: { hostname: '::1', port: 4000, loopback: true },
    })
  })

  test('http without a port means 80', () => {
    expect(judge('http://localhost/x', true)).toMatchObject({ ok: true, target: { port: 80 } })
  })

  test.each(['http://localhost/x', 'https://localhost/x', 'http://127.0.0.1/x', 'http://[::1]/x'])(
    '%s is a target in the demo world alone',
    (url) => {
      expect(judge(url, true)).toMatchObject({ ok: true, target: { loopback: true } })
      expect(judge(url)).toMatchObject({ ok: false })
    },
  )

  test.each([
    ['http://app.example.com/x', /https:\/\//],
    ['https://u@app.example.com/x', /user name/],
    ['https://app.example.com/x#', /fragment/],
    ['https://93.184.216.34/x', /name its host/],
    ['https://intranet/x', /full domain name/],
    ['https://app.example.com:8443/x', /port 443; it names port 8443/],
  ])('%s is refused in words', (url, words) => {
    expect(judge(url)).toMatchObject({ ok: false, description: expect.stringMatching(words) })
  })
})
