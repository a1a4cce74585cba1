import { describe, expect, test } from 'vitest'
import { RenderingThread, renderInThread } from './render-in-thread.ts'

test('a text is rendered, several at once', async () => {
  const texts = ['*a*', '# b', 'c & d']
  const pages = await Promise.all(texts.map((text) => renderInThread(text, 'a school')))
  expect(pages).toEqual(['<p><em>a</em></p>', '<h2>b</h2>', '<p>c &amp; d</p>'])
})

test('a text of the greatest length, and one from before there was a limit', async () => {
  for (const length of [64 * 1024, 200_000]) {
    const html = await renderInThread('*a* '.repeat(length / 4), 'a school')
    expect(html.split('<em>a</em>')).toHaveLength(length / 4 + 1)
  }
})

describe('a text that the renderer does not survive', () => {
  const program = `
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', (text) => {
      while (text === 'slow <') continue
      if (text === 'broken') throw new Error('a fault of the renderer')
      const kept = []
      while (text === 'large') kept.push('x'.repeat(1000).split(''))
      parentPort.postMessage('<p>' + text + '</p>')
    })
    parentPort.postMessage('ready')`
  const thread = new RenderingThread(
    new URL(`data:text/javascript,${encodeURIComponent(program)}`),
    100,
  )

  test.each([
    ['takes for ever', 'slow <', 'slow &lt;'],
    ['fails', 'broken', 'broken'],
    ['takes all memory', 'large', 'large'],
  ])(
    'because it %s is shown as written; requests go on, and so do other texts',
    async (_, text, shown) => {
      let turns = 0
      let done = false
      const others = (): void => {
        turns += 1
        if (!done) setImmediate(others)
      }
      others()
      const [hostile, good] = await Promise.all([
        thread.render(text, 'a school').finally(() => {
          done = true
        }),
        thread.render('good', 'another school'),
      ])
      expect(hostile).toBe(`<p class="as-written" dir="auto">${shown}</p>`)
      expect(good).toBe('<p>good</p>')
      expect(turns).toBeGreaterThan(1)
    },
  )
})

test.each([
  ['ends', 'process.exit(0)'],
  ['fails', 'throw new Error("a fault of the start")'],
])(
  'a thread that %s before it is ready is an error, and no caller waits for ever',
  async (_how, program) => {
    const thread = new RenderingThread(
      new URL(`data:text/javascript,${encodeURIComponent(program)}`),
    )
    const texts = [thread.render('a', 'a school'), thread.render('b', 'a school')]
    const settled = await Promise.allSettled(texts)
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  },
)
