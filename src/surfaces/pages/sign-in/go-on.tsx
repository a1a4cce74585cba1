import type { FastifyReply } from 'fastify'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { Button, Form } from '../../../foundation/html/components.tsx'
import { Labelled } from '../../../foundation/html/form-fields.tsx'
import { ButtonLink, PageHead } from '../../../foundation/html/site-components.tsx'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import { brandingOf } from '../../../gate/branding.ts'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { formTokenFor } from '../frame/page-request.ts'
import { ANSWER_PREFIX } from '../frame/paths.ts'
import type { Visit } from '../frame/visit.ts'
import { capitalized } from '../frame/words.ts'
import { type AfterSignIn, placeAfterSignIn } from './after-sign-in.ts'
import { type KeptForm, openForm } from './kept-form.ts'

type Person = Pick<BrowserSession, 'id' | 'person'>

/**
 * After a sign-in or a confirmation: shows the person the form that they sent before, or redirects.
 */
export function goOn(
  visit: Visit,
  session: Person & Pick<BrowserSession, 'roles'>,
  after: AfterSignIn,
): FastifyReply {
  const { context, request } = visit
  const kept = openForm(context.keyring, request.school.id, after.keptForm)
  // Signed in as another person: the form is dropped without a word about it.
  if (kept === undefined || kept.userId !== session.person.id) {
    return visit.goTo(placeAfterSignIn(after, session.roles), 'authorization')
  }
  return showKeptForm(visit, session, kept)
}

/** The form with everything that was typed. Only the person sends it. */
export function showKeptForm(visit: Visit, session: Person, kept: KeptForm): FastifyReply {
  const { request, context, reply } = visit
  const page = keptFormPage({
    school: brandingOf(request.school),
    here: kept.page,
    viewer: {
      // A form of the admin area: its route checks the role when the form is sent.
      operator: kept.path.startsWith('/admin'),
      formToken: formTokenFor(context.keyring, request, reply, session),
    },
    kept,
  })
  return visit.page(page)
}

interface KeptFormProps extends SiteFrame {
  kept: {
    path: string
    /** The page of the form. */
    page: string
    fields: readonly (readonly [name: string, value: string])[]
    leftOut: boolean
    showsAgain: boolean
  }
}

const TITLE = 'Nothing was lost'
const LONG = 80

/** What a person sent when their session had ended, or when they had to confirm first. */
export function keptFormPage({ kept, ...frame }: KeptFormProps): string {
  const shown = kept.fields.filter(([name, value]) => value !== '' && !isOurs(name, value))
  const lead =
    shown.length === 0
      ? 'What you wanted to do is not done yet. Send it now, or discard it.'
      : 'This is what you sent. It is not saved yet: send it now, or discard it.'
  return sitePage({
    ...frame,
    title: TITLE,
    children: (
      <>
        <PageHead title={TITLE} lead={lead} />
        <section class="panel" aria-label={TITLE}>
          {kept.leftOut && <p>Passwords and codes are never kept. The form asks for them again.</p>}
          <Form action={kept.path} formToken={frame.viewer?.formToken ?? ''}>
            {/* Hidden fields: a text area would change line breaks. */}
            {kept.fields.map(([name, value]) => (
              <input type="hidden" name={name} value={value} />
            ))}
            {shown.map(([name, value], index) => (
              <ShownField id={`kept-${index}`} name={name} value={value} />
            ))}
            <div class="actions">
              <Button look="primary">Send it now</Button>
              {kept.showsAgain && (
                <Button look="plain" name="show_again" value="yes">
                  Look at the form first
                </Button>
              )}
              <ButtonLink look="plain" href={kept.page}>
                Discard it
              </ButtonLink>
            </div>
          </Form>
        </section>
      </>
    ),
  })
}

/** Ids, versions and digests say nothing to a person. */
function isOurs(name: string, value: string): boolean {
  return isUuid(value) || /^(?:(?:if_)?version|shown)$|^(?:find|found)-/.test(name)
}

function ShownField({ id, name, value }: { id: string; name: string; value: string }) {
  const isLong = value.length > LONG || /[\r\n]/.test(value)
  return (
    <Labelled id={id} label={inWords(name)}>
      {isLong ? (
        <textarea id={id} rows={8} class="words" readOnly dir="auto">
          {/* A browser drops the first line break of a text area. */}
          {`\n${value}`}
        </textarea>
      ) : (
        <input id={id} type="text" value={value} readOnly dir="auto" />
      )}
    </Labelled>
  )
}

/**
 * `redirect_uris` as people write it: "Redirect uris". A question of a school's form is named
 * without our prefix.
 */
function inWords(name: string): string {
  const own = name.startsWith(ANSWER_PREFIX) ? name.slice(ANSWER_PREFIX.length) : name
  return capitalized(own.replace(/[_-]+/g, ' '))
}
