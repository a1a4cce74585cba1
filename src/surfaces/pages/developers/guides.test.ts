import { expect, test } from 'vitest'
import { fillGuide, type GuideFacts, sectionsOf, standalone } from './guides.ts'

const facts: GuideFacts = {
  name: 'North School',
  origin: 'https://school.example',
  variant: 'newer',
  signsIdTokens: true,
  publishesKeys: true,
  documents: true,
  foreignDocuments: true,
  mcpConnections: true,
}

/** Every combination of what guides depend on. */
const everywhere = Array.from({ length: 64 }, (_, bits): GuideFacts => {
  const has = (place: number) => (bits & (1 << place)) !== 0
  return {
    ...facts,
    variant: has(0) ? 'newer' : 'older',
    signsIdTokens: has(1),
    publishesKeys: has(2),
    documents: has(3),
    foreignDocuments: has(4),
    mcpConnections: has(5),
  }
})

test.each(['guide', 'auth', 'llms'] as const)(
  '%s has no gap, no mark of the template and no long empty space at any school',
  (name) => {
    for (const at of everywhere) {
      const text = fillGuide(name, at)
      expect(text).not.toMatch(/\{\{|undefined|\[object|\n\n\n| {2}(?=\S)(?<!\n {2,}(?=\S))/)
      expect(text.match(/^```/gm)?.length ?? 0).toSatisfy((fences: number) => fences % 2 === 0)
    }
  },
)

test('a guide that leaves its page has complete links, and none within the page', () => {
  const text = standalone(
    '[Errors](/docs/errors), [step 3](#register), [W](https://w.example/)',
    'https://a.example',
  )
  expect(text).toBe('[Errors](https://a.example/docs/errors), step 3, [W](https://w.example/)')
})

test('attack: a school whose name is markup or Markdown stays a name in every guide', () => {
  const name =
    '[click](https://evil.example) **bold** _x_ <script> `x` {{origin}}\n# Heading &lt;b&gt;'
  for (const guide of ['guide', 'auth', 'llms'] as const) {
    const text = fillGuide(guide, { ...facts, name })
    expect(text).not.toMatch(/(?<!\\)\[click|(?<!\\)\*\*bold|^# Heading/m)
    const html = sectionsOf(text)
      .map(({ html }) => html)
      .join('')
    expect(html).not.toMatch(/<script|evil.example"|<strong>bold|<em>x|<b>/)
  }
  const [head] = sectionsOf(fillGuide('guide', { ...facts, name }))
  expect(head?.html).toContain(
    '[click](https://evil.example) **bold** _x_ &lt;script&gt; `x` {{origin}} # Heading &amp;lt;b&amp;gt;',
  )
})
