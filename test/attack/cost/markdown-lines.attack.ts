import { afterAll, expect, test } from 'vitest'
import { renderMarkdown } from '../../../src/foundation/markdown/render-markdown.ts'
import { keepPart } from '../report/keep-part.ts'
import { findSteep } from './find-steep.ts'
import { textsOfLines } from './markdown-lines.ts'

const KIB = 1024
const rows: (string | number)[][] = []

for (const [lines, length] of [
  [2, 64 * KIB],
  [3, 8 * KIB],
] as const) {
  test(`Markdown of ${lines} lines in turn, in every combination, costs about as much as its parts`, async () => {
    const texts = textsOfLines(lines)
    const steep = await findSteep(texts, length, renderMarkdown)
    rows.push([lines, texts.length, length, steep.join(', ') || 'none'])
    expect(steep).toEqual([])
  })
}

afterAll(() => {
  keepPart('cost-of-lines', {
    order: 12,
    title: 'Cost of lines of Markdown',
    lead: [
      'Texts that repeat a few lines, each one of the marks that begin a block, in every combination: none may cost 40 times',
      'as much as an eighth of it.',
    ],
    columns: ['Lines', 'Texts', 'Length', 'Too steep'],
    rows,
  })
})
