import { describe, expect, test } from 'vitest'
import { renderMarkdown } from '../../../src/foundation/markdown/render-markdown.ts'
import { findSteep } from './find-steep.ts'
import { textsOfLines } from './markdown-lines.ts'
import { PARSERS } from './parsers.ts'

/** Every how many texts one is tried; `npm run attack` tries all. */
const SAMPLE = 4
const LONGEST = 32 * 1024
/** Enough for the square to show: a text of quotes in quotes took half a second. */
const LINES_LENGTH = 8 * 1024

describe.each(PARSERS)('$name', ({ longest, texts, work }) => {
  test('a hostile text costs about as much as its parts', async () => {
    const some = texts.filter((_, place) => place % SAMPLE === 0)
    expect(await findSteep(some, Math.min(longest, LONGEST), work)).toEqual([])
  })
})

test('Markdown of two lines in turn, such as a quote and a line that may belong to it, costs as much as its parts', async () => {
  expect(await findSteep(textsOfLines(2), LINES_LENGTH, renderMarkdown)).toEqual([])
})
