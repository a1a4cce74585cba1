import { Moment } from '../../../foundation/html/moment.tsx'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { Empty, PageHead } from '../../../foundation/html/site-components.tsx'
import { PUBLIC_LISTS, toList } from './public-list.tsx'
import { type SiteFrame, sitePage } from './site-layout.tsx'
import { WrittenText } from './written-text.tsx'

/** A public post or page of the school. */
export interface Writing {
  kind: 'post' | 'page'
  title: string
  body: string
  /** Of the body; null if it is not rendered yet. */
  html: string | null
  publishedAt: Date
}

interface WritingProps extends SiteFrame {
  timeZone: string
  writing: Writing
}

export function writingPage(props: WritingProps): string {
  const { writing, timeZone } = props
  const title = plainText(writing.title) || 'Untitled'
  return sitePage({
    ...props,
    title,
    listed: true,
    children: (
      <>
        <PageHead
          title={title}
          lang={props.school.language}
          up={toList(writing.kind === 'post' ? PUBLIC_LISTS.posts : PUBLIC_LISTS.pages)}
          lead={
            writing.kind === 'post' ? (
              <Moment at={writing.publishedAt} timeZone={timeZone} />
            ) : undefined
          }
        />
        {writing.body.trim() === '' ? (
          <div class="panel">
            <Empty>
              <p>There is nothing to read here yet.</p>
            </Empty>
          </div>
        ) : (
          <WrittenText school={props.school} text={writing.body} html={writing.html} />
        )}
      </>
    ),
  })
}
