import type { Copy } from '../../../domain/leaving/copy-job.ts'
import { Button, Form } from '../../../foundation/html/components.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { ButtonLink, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { TO_SETTINGS } from './account-paths.ts'
import { type SiteFrame, sitePage } from './site-layout.tsx'

interface DataProps extends SiteFrame {
  copy: Copy | undefined
  timeZone: string
  /** False on a server without a place for files. */
  storesFiles: boolean
}

export function dataPage(props: DataProps): string {
  const { copy, timeZone, viewer } = props
  const mayAsk = props.storesFiles && copy?.nextAt == null
  return sitePage({
    ...props,
    title: 'A copy of your data',
    children: (
      <>
        <PageHead title="A copy of your data" up={TO_SETTINGS} />
        <Panel
          title="What is in it"
          lead="All that this school holds about you: your account, courses and progress, bookings, payments, comments, answers, notifications, apps, browsers, and what was recorded of what you did. Another school makes its own copy."
        >
          {props.storesFiles ? (
            <p>
              It is made in the background, once a day at most. You alone can download it, as a page
              to read and as JSON for programs, for three days.
            </p>
          ) : (
            <p>This server stores no files. Ask the school for a copy.</p>
          )}
          {mayAsk && (
            <Form action="/account/data" formToken={viewer?.formToken ?? ''}>
              <Button look="primary">Make a copy</Button>
            </Form>
          )}
        </Panel>
        {copy !== undefined && (
          <Panel title="Your copy">
            <State copy={copy} timeZone={timeZone} />
          </Panel>
        )}
      </>
    ),
  })
}

function State({ copy, timeZone }: { copy: Copy; timeZone: string }) {
  switch (copy.state) {
    case 'waiting':
    case 'running':
      return (
        <>
          <p>
            You asked for it on <Moment at={copy.askedAt} timeZone={timeZone} />. It is being made.
          </p>
          <div class="actions">
            <ButtonLink look="plain" href="/account/data">
              Look again
            </ButtonLink>
          </div>
        </>
      )
    case 'done':
      return <Ready copy={copy} timeZone={timeZone} />
    default:
      return <p>It could not be made. Choose “Make a copy” again.</p>
  }
}

function Ready({ copy, timeZone }: { copy: Copy; timeZone: string }) {
  return (
    <>
      <p>
        {copy.finishedAt !== null && (
          <>
            Made on <Moment at={copy.finishedAt} timeZone={timeZone} />.{' '}
          </>
        )}
        {copy.expiresAt !== null && (
          <>
            Kept until <Moment at={copy.expiresAt} timeZone={timeZone} />.{' '}
          </>
        )}
        {copy.nextAt !== null && (
          <>
            You can ask for another one from <Moment at={copy.nextAt} timeZone={timeZone} />.
          </>
        )}
      </p>
      <div class="actions">
        <ButtonLink look="primary" href={`/account/data/${copy.id}/copy.html`}>
          Download to read
        </ButtonLink>
        <ButtonLink look="plain" href={`/account/data/${copy.id}/copy.json`}>
          Download as JSON
        </ButtonLink>
      </div>
    </>
  )
}
