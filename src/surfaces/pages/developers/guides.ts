import { readFileSync } from 'node:fs'
import MarkdownIt from 'markdown-it'
import Mustache from 'mustache'
import type { MetadataClients } from '../../../domain/clients/metadata-clients.ts'
import type { School, SchoolVariant } from '../../../domain/schools/school.ts'
import { publishedKeys, signsIdTokens } from '../../../domain/schools/signing.ts'
import { PACKAGE_FOLDER } from '../../../foundation/package-folder.ts'
import { markdownText, plainText } from '../../../foundation/text/plain-text.ts'

/** What the guides of an origin depend on: the same values as its discovery documents. */
export interface GuideFacts {
  readonly name: string
  readonly origin: string
  readonly variant: SchoolVariant
  readonly signsIdTokens: boolean
  /** Keys may be published before they sign. */
  readonly publishesKeys: boolean
  /** Whether discovery announces client metadata documents. */
  readonly documents: boolean
  /**
   * Whether documents of any other host resolve here; a school with only its own tools permits
   * none.
   */
  readonly foreignDocuments: boolean
  /** Whether the admin area has the group Developers. */
  readonly mcpConnections: boolean
}

export function guideFacts(school: School, metadataClients: MetadataClients): GuideFacts {
  return {
    name: school.name,
    origin: school.origin,
    variant: school.variant,
    signsIdTokens: signsIdTokens(school),
    publishesKeys: publishedKeys(school).length > 0,
    documents: metadataClients.areSupportedAt(school),
    foreignDocuments: metadataClients.arePermittedAt(school),
    mcpConnections: school.mcpConnections,
  }
}

const folder = new URL('assets/guides/', PACKAGE_FOLDER)

const templates = {
  guide: readGuide('guide'),
  auth: readGuide('auth'),
  llms: readGuide('llms'),
}

/** Commands that stand in the guide more than once, by their headings. */
const commands = Object.fromEntries(
  [...readGuide('commands').matchAll(/^## ([\w-]+)\n\n```\n([^`]*)```$/gm)].map(
    ([, name = '', text = '']) => [name, text],
  ),
)

function readGuide(name: string): string {
  return readFileSync(new URL(`${name}.md`, folder), 'utf8')
}

/**
 * A guide of `assets/guides/`, which are Mustache templates of Markdown, with the facts of an
 * origin. The explorer is for people, who have a browser.
 */
export function fillGuide(
  name: keyof typeof templates,
  facts: GuideFacts,
  { explorer = false } = {},
): string {
  const view = {
    ...facts,
    explorer,
    newer: facts.variant === 'newer',
    name: markdownText(plainText(facts.name)),
    resource: encodeURIComponent(facts.origin),
  }
  return Mustache.render(templates[name], view, commands, { escape: String })
}

/** A guide that leaves its page: links are complete, and those within the page are words. */
export function standalone(markdown: string, origin: string): string {
  return markdown
    .replaceAll(/\[([^[\]]{1,100})\]\(#[\w-]{1,40}\)/g, '$1')
    .replaceAll(/(?<=\]\()(?=\/)/g, origin)
}

export interface GuideSection {
  readonly title: string
  readonly html: string
}

/** The parts of a guide below its second headings, after the part above the first of them. */
export function sectionsOf(markdown: string): readonly GuideSection[] {
  return markdown
    .replace(/^# /, '')
    .split(/^## /m)
    .map((part) => {
      const [title = '', ...lines] = part.split('\n')
      return { title, html: parser.render(lines.join('\n')) }
    })
}

const parser = new MarkdownIt('commonmark', { html: false })
const { escapeHtml } = parser.utils
// Keyboard users scroll a block of code by focusing it.
parser.renderer.rules.fence = (tokens, place) =>
  `<pre class="code" tabindex="0"><code>${escapeHtml(String(tokens[place]?.content).trimEnd())}</code></pre>`
// A name with a hyphen is not broken there.
parser.renderer.rules.code_inline = (tokens, place) => {
  const text = String(tokens[place]?.content)
  const whole = /^[\w-]{1,30}$/.test(text) ? ' class="whole"' : ''
  return `<code${whole}>${escapeHtml(text)}</code>`
}
