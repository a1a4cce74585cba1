import type { ComponentChildren } from 'preact'
import { Moment } from '../../../foundation/html/moment.tsx'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { AsWritten, Prose } from '../../../foundation/html/prose.tsx'
import { PageHead } from '../../../foundation/html/site-components.tsx'
import { formatMoney } from './money.ts'
import { type SiteFrame, sitePage } from './site-layout.tsx'

interface Shown {
  title: string
  /** Of the description or the body; null if it is not rendered yet. */
  html: string | null
}

interface Priced extends Shown {
  /** In minor units of the currency. */
  priceAmount: number
  currency: string
  description: string
}

interface Event extends Priced {
  kind: 'event'
  startsAt: Date
  location: string
  isOnline: boolean
}

interface Text extends Shown {
  kind: 'post' | 'page'
  body: string
  publishedAt: Date
}

/** A public event, post or page of the school. */
export type Writing = Event | Text

interface WritingProps extends SiteFrame {
  timeZone: string
  writing: Writing
}

export function writingPage(props: WritingProps): string {
  const { writing, timeZone } = props
  const title = plainText(writing.title, 300) || 'Untitled'
  const text = 'body' in writing ? writing.body : writing.description
  const facts = factsOf(writing, timeZone)
  return sitePage({
    ...props,
    title,
    listed: true,
    children: (
      <>
        <PageHead title={title} up={{ url: '/', label: 'Home' }} />
        <article class="panel">
          {facts.length > 0 && (
            <dl class="facts">
              {facts.map(([term, fact]) => (
                <div>
                  <dt>{term}</dt>
                  <dd>{fact}</dd>
                </div>
              ))}
            </dl>
          )}
          {text.trim() === '' ? (
            <p class="row-note">There is nothing more to read here yet.</p>
          ) : writing.html === null ? (
            <AsWritten text={text} />
          ) : (
            <Prose html={writing.html} />
          )}
        </article>
      </>
    ),
  })
}

function factsOf(
  writing: Writing,
  timeZone: string,
): readonly (readonly [string, ComponentChildren])[] {
  switch (writing.kind) {
    case 'event':
      return [
        ['Starts', <Moment at={writing.startsAt} timeZone={timeZone} />],
        ['Price', formatMoney(writing.priceAmount, writing.currency)],
        ...(writing.location === '' ? [] : [['Where', plainText(writing.location, 500)] as const]),
        ...(writing.isOnline
          ? [['Online', 'You get the address after you register'] as const]
          : []),
      ]
    case 'post':
      return [['Published', <Moment at={writing.publishedAt} timeZone={timeZone} />]]
    case 'page':
      return []
  }
}
