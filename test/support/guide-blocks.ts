import { readFileSync } from 'node:fs'

export interface Block {
  readonly page: string
  /** The word behind the fence; empty if there is none. */
  readonly language: string
  readonly text: string
  /** Line of the fence, for messages. */
  readonly line: number
}

const FENCE = /^([ \t]*)```([\w-]*)\n([\s\S]*?)^\1```$/gm

/** The fenced blocks of a page, without their indentation. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')
  return [...text.matchAll(FENCE)].map(([, indent = '', language = '', body = ''], place, all) => ({
    page,
    language,
    text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    line: text.slice(0, all[place]?.index ?? 0).split('\n').length,
  }))
}
