import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type AnswerProblems,
  answerForm,
  findPublicForm,
  judgeAnswers,
  LONGEST,
  type PublicForm,
  refusalOf,
} from '../../../domain/content/answer-form.ts'
import type { Question } from '../../../domain/content/form-operations.ts'
import type { BrowserSession } from '../../../domain/people/sessions.ts'
import { Alert, Button, Form } from '../../../foundation/html/components.tsx'
import { Labelled, toldOf } from '../../../foundation/html/form-fields.tsx'
import { ButtonLink, Empty, PageHead } from '../../../foundation/html/site-components.tsx'
import { clientAddress } from '../../../foundation/http/client-address.ts'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { plainText } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { type SiteFrame, sitePage, slugOf, withoutNul } from '../frame/layout.tsx'
import { ANSWER_PREFIX } from '../frame/paths.ts'
import { actAs, memberOf, SignInNeeded } from '../frame/session.ts'
import { type Visit, visitOf } from '../frame/visit.ts'
import { waitInWords } from '../frame/words.ts'
import { ownerOf } from '../sign-in/kept-form.ts'
import { isPreview, withPreviewMark } from './writing.tsx'

const PATH = '/forms/:slug'

/** A letter of three bytes, such as a Chinese one, is nine in the body of a form. */
const MOST_BYTES_OF_LETTER = 9
/** Visitors send these forms too, so the body has a bound: that of ten of the longest answers. */
const LONG_ANSWERS_BYTES = 10 * LONGEST.long_text * MOST_BYTES_OF_LETTER

const NOTICES = {
  sent: 'Thank you. Your answers were sent.',
  closed: { warning: 'Your answers were not sent: this form takes no more answers.' },
  members_only: { warning: 'Your answers were not sent: this form is for members of the school.' },
  answered: { warning: 'Your answers were not sent: you have answered this form before.' },
}

/** A form that is open takes the answers of visitors and members. */
export function addFormRoutes(app: FastifyInstance, context: AppContext): void {
  app.get(PATH, async (request, reply) => {
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    const isMarked = isPreview(request, session)
    const form = await load(request, session, isMarked)
    return show(visit, { form, isMarked })
  })

  const bodyLimit = context.limits.formBodyBytes + LONG_ANSWERS_BYTES
  app.post(PATH, { bodyLimit, config: { showsAgain: true } }, async (request, reply) => {
    const visit = await visitOf(context, request, reply)
    const { session } = visit
    const form = await load(request, session)
    const here = `/forms/${form.slug}`
    request.returnTo = here
    const userId = visit.memberId ?? null
    // What was typed is kept over the sign-in. A form of a session is never taken as that of a
    // visitor without a name.
    const asksForPerson = form.oncePerMember || ownerOf(context, request) !== undefined
    if (session === undefined && asksForPerson) throw new SignInNeeded(here)
    if (session !== undefined) actAs(request, session, here)
    const sent = visit.form()
    const refused = refusalOf(form, userId)
    if (refused !== undefined) return visit.goTo(`${here}?done=${refused}`)
    const typed = (name: string) => withoutNul(sent.get(answerName(name)) ?? '')
    if (sent.has('show_again')) return show(visit, { form, typed })
    const judged = judgeAnswers(form.questions, typed)
    if ('problems' in judged) {
      return show(visit, { form, typed, ...judged, status: 422 })
    }
    const key = context.keyring.key('sign-in-throttle')
    const sender = { userId, address: clientAddress(request) }
    const outcome = await answerForm(request.schoolDb, key, form, sender, judged.answers)
    if (outcome.kind === 'throttled') {
      reply.header('retry-after', outcome.retryAfterSeconds)
      const { retryAfterSeconds } = outcome
      return show(visit, { form, typed, retryAfterSeconds, status: 429 })
    }
    return visit.goTo(`${here}?done=${outcome.kind}`)
  })
}

async function load(
  request: FastifyRequest,
  session: BrowserSession | undefined,
  isMarked = false,
): Promise<PublicForm> {
  const slug = slugOf(request)
  const form = await findPublicForm(request.schoolDb, slug, memberOf(session) ?? null, isMarked)
  if (form !== undefined) return form
  throw new RequestRefusedError(404, 'This form does not exist, or it is not open.')
}

interface Shown {
  readonly form: PublicForm
  readonly typed?: (name: string) => string
  readonly problems?: AnswerProblems
  readonly retryAfterSeconds?: number
  readonly status?: number
  /** Whether an operator asked for it as it will look when it is open. */
  readonly isMarked?: boolean
}

function show(visit: Visit, { status, isMarked = false, ...shown }: Shown): FastifyReply {
  const { isOpen: isPublic } = shown.form
  const frame = visit.frame(NOTICES)
  const page = formPage({
    ...withPreviewMark(frame, isMarked, { isPublic }),
    isPreview: isMarked && !isPublic,
    formToken: visit.formToken(),
    isMember: visit.memberId !== undefined,
    ...shown,
  })
  return visit.page(page, status)
}

interface FormProps extends SiteFrame {
  form: PublicForm
  formToken: string
  /** Whether the viewer is a member of the school. */
  isMember: boolean
  /** Whether an operator looks at it before it is open: it takes no answers. */
  isPreview?: boolean
  /** What was sent, by the name of the question; absent before. */
  typed?: ((name: string) => string) | undefined
  problems?: AnswerProblems | undefined
  /** Present if too many answers came. */
  retryAfterSeconds?: number | undefined
}

function answerName(question: string): string {
  return ANSWER_PREFIX + question
}

export function formPage(props: FormProps): string {
  const { form } = props
  const title = plainText(form.title) || 'Untitled'
  return sitePage({
    ...props,
    title,
    children: (
      <>
        <PageHead title={title} lang={props.school.language} up={{ url: '/', label: 'Home' }} />
        <section class="panel" aria-label="Questions">
          <Questions {...props} />
        </section>
      </>
    ),
  })
}

function Questions(props: FormProps) {
  if (props.isPreview === true) return <Asked {...props} />
  const { form, isMember, here, viewer } = props
  if (!form.isOpen) {
    return (
      <Empty>
        <p>This form takes no more answers.</p>
      </Empty>
    )
  }
  if (form.oncePerMember && form.isAnswered) {
    return (
      <Empty>
        <p>You have answered this form. Thank you.</p>
      </Empty>
    )
  }
  if (form.oncePerMember && !isMember) {
    return (
      <Empty>
        <p>This form is for members of the school. Each of them can answer it once.</p>
        {viewer === undefined && (
          <ButtonLink look="primary" href={`/sign-in?return_to=${encodeURIComponent(here)}`}>
            Sign in
          </ButtonLink>
        )}
      </Empty>
    )
  }
  return <Asked {...props} />
}

function Asked(props: FormProps) {
  const { form, formToken, problems, retryAfterSeconds } = props
  return (
    <Form action={`/forms/${form.slug}`} formToken={formToken}>
      {retryAfterSeconds !== undefined && (
        <Alert tone="error" title="Too many answers came from here.">
          <p>{`Nothing was sent. Try again in ${waitInWords(retryAfterSeconds)}.`}</p>
        </Alert>
      )}
      {problems !== undefined && (
        <Alert tone="error" title="Nothing was sent yet.">
          <p>Look at the questions that are marked.</p>
        </Alert>
      )}
      {form.questions.map((question, index) => (
        <Answer
          question={question}
          id={`question-${index + 1}`}
          value={props.typed?.(question.name) ?? ''}
          problem={problems?.get(question.name)}
        />
      ))}
      {props.isPreview === true ? (
        <p class="row-note">Here people send their answers.</p>
      ) : (
        <Button look="primary">Send</Button>
      )}
    </Form>
  )
}

interface AnswerProps {
  question: Question
  id: string
  value: string
  problem: string | undefined
}

const CHOICES = [
  ['', 'Choose'],
  ['yes', 'Yes'],
  ['no', 'No'],
] as const

const INPUT_TYPES: Readonly<Record<string, string>> = { email: 'email' }

function Answer({ question, id, value, problem }: AnswerProps) {
  const { name, label, kind, required } = question
  const problems = problem === undefined ? [] : [problem]
  const shared = {
    id,
    name: answerName(name),
    required,
    dir: 'auto' as const,
    ...toldOf(id, { problems }),
  }
  const words = (
    <>
      <bdi>{plainText(label)}</bdi>
      {!required && <span class="row-note"> (optional)</span>}
    </>
  )
  return (
    <Labelled id={id} label={words} problems={problems}>
      {kind === 'long_text' ? (
        <textarea {...shared} rows={6} class="words">
          {value}
        </textarea>
      ) : kind === 'yes_no' ? (
        <select {...shared}>
          {CHOICES.map(([choice, text]) => (
            <option value={choice} selected={choice === value}>
              {text}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...shared}
          type={INPUT_TYPES[kind] ?? 'text'}
          inputmode={kind === 'number' ? 'decimal' : undefined}
          value={value}
        />
      )}
    </Labelled>
  )
}
