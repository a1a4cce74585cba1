import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import { type Actor, isOperator, type Role } from '../../../domain/actor/actor.ts'
import {
  type CommentPage,
  countComment,
  judgeComment,
  LONGEST_COMMENT,
  moderate,
  openForMember,
  type Participant,
  participantIn,
  readComments,
  readThread,
  type ShownComment,
  type Thread,
  takeBack,
  writeComment,
} from '../../../domain/learning/discussion.ts'
import type { LectureOfViewer } from '../../../domain/learning/open-lecture.ts'
import type { OutlineCache } from '../../../domain/learning/outline.ts'
import { pictureUrl } from '../../../domain/people/person.ts'
import { uuidv7 } from '../../../foundation/crypto/random.ts'
import { encodeKey, type KeysetKey, parseKey } from '../../../foundation/db/keyset.ts'
import { Alert, Avatar, Button, Form, Name } from '../../../foundation/html/components.tsx'
import { Labelled, toldOf } from '../../../foundation/html/form-fields.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { Badge, Empty, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { parseUrl } from '../../../foundation/net/parse-url.ts'
import { isUuid } from '../../../foundation/protocol/token-format.ts'
import { plainText, visibleLines } from '../../../foundation/text/plain-text.ts'
import type { AppContext } from '../../../gate/context.ts'
import { queryOf, type SiteFrame, sitePage, withoutNul } from '../frame/layout.tsx'
import { Pager } from '../frame/list-parts.tsx'
import { lecturePath, threadPath } from '../frame/paths.ts'
import { type SignedInVisit, signedInVisit, type Visit } from '../frame/visit.ts'
import { waitInWords } from '../frame/words.ts'
import { checkFactor, isFactorEnough } from '../sign-in/factor-needed.tsx'

const PATH = '/courses/:slug/lectures/:id/comments'

export const DISCUSSION_NOTICES = {
  'taken-back': 'Your comment was taken back.',
  'not-yours': {
    warning: 'Nothing was taken back: this comment is no longer there, or not yours.',
  },
}
const NOTICES = {
  written: 'Your comment is here.',
  answered: 'Your answer is here.',
  hide: 'The comment is hidden from members.',
  show: 'Members see the comment again.',
}

/** The member who asks, with the roles that this session may act in. */
function readerOf({ request, session }: Visit) {
  if (session === undefined || session.roles.length === 0) return undefined
  const { roles, person } = session
  const isOnlyMember = isOperator(roles) && !isFactorEnough(request, session)
  return { userId: person.id, roles: isOnlyMember ? roles.filter(isOfMember) : roles }
}

const isOfMember = (role: Role) => !isOperator([role])

export function placeOf(request: FastifyRequest) {
  const { slug, id } = request.params as { slug: string; id: string }
  return { slug: withoutNul(slug), lectureId: id }
}

/** The lecture as the member of this visit sees it; undefined for other visitors. */
export async function openAsMember(visit: Visit, outlines: OutlineCache) {
  const reader = readerOf(visit)
  return reader && (await openForMember(visit.db, outlines, reader, placeOf(visit.request)))
}

/** What stands below a lecture, for a person who takes part. */
export interface Discussion extends CommentPage {
  readonly lectureId: string
  readonly isFirst: boolean
  readonly isStaff: boolean
  /** Of the comment that the form may write. */
  readonly newId: string
}

/** Undefined for a person who does not take part, and where the course allows no comments. */
export async function discussionFor(
  visit: Visit,
  opened: LectureOfViewer,
): Promise<Discussion | undefined> {
  const reader = readerOf(visit)
  const who = reader && (await participantIn(visit.db, opened, reader))
  if (who === undefined) return undefined
  const after = parseKey(who.lectureId, queryOf(visit.request).get('after') ?? '')
  const page = await readComments(visit.db, who, after)
  const { lectureId, isStaff } = who
  return { ...page, lectureId, isStaff, isFirst: after === undefined, newId: uuidv7() }
}

interface Taking {
  readonly visit: SignedInVisit
  readonly opened: LectureOfViewer
  readonly who: Participant
}

/** What members write below a lecture. */
export function addDiscussionRoutes(
  app: FastifyInstance,
  context: AppContext,
  outlines: OutlineCache,
): void {
  async function enter(request: FastifyRequest, reply: FastifyReply): Promise<Taking> {
    const { slug, lectureId } = placeOf(request)
    const isPost = request.method === 'POST'
    const back = isPost ? lecturePath(slug, lectureId) : undefined
    const visit = await signedInVisit(context, request, reply, back)
    if (isPost) visit.form()
    const opened = await openAsMember(visit, outlines)
    const reader = readerOf(visit)
    if (opened === undefined || reader === undefined) throw new RequestRefusedError(404, NO_LECTURE)
    const who = await participantIn(visit.db, opened, reader)
    if (who === undefined) throw new RequestRefusedError(403, CLOSED)
    return { visit, opened, who }
  }

  app.get(`${PATH}/:comment`, async (request, reply) => {
    const taking = await enter(request, reply)
    const query = queryOf(request)
    const [comment, answer] = [commentOf(request), query.get('answer') ?? '']
    const after = parseKey(comment, query.get('after') ?? '')
    const thread = await readThread(taking.visit.db, taking.who, comment, {
      after,
      answer: isUuid(answer) ? answer : undefined,
    })
    if (thread === undefined) throw new RequestRefusedError(404, NO_COMMENT)
    return show(taking, { thread, form: { newId: uuidv7() } })
  })

  app.post(PATH, async (request, reply) => {
    const taking = await enter(request, reply)
    const { visit, opened, who } = taking
    const form = visit.form()
    const [id, answers, typed] = [
      form.get('comment') ?? '',
      form.get('answers'),
      form.get('words') ?? '',
    ]
    if (!isUuid(id) || (answers !== null && !isUuid(answers))) {
      throw new RequestRefusedError(400, 'The form does not say where the comment belongs.')
    }
    /** With what was typed, and why it was not written. */
    const again = async (problem: string, status: number, answered = answers) => {
      const thread = answered === null ? undefined : await readThread(visit.db, who, answered)
      return show(taking, { thread, form: { newId: id, typed, problem } }, status)
    }
    const judged = judgeComment(typed)
    if ('problem' in judged) return await again(judged.problem, 422)
    const throttleKey = context.keyring.key('sign-in-throttle')
    const wait = await countComment(visit.db, throttleKey, who.userId)
    if (wait > 0) {
      reply.header('retry-after', wait)
      const problem = `You have written many comments. Send this one in ${waitInWords(wait)}.`
      return await again(problem, 429)
    }
    const here = pathTo(opened)
    const comment = { id, body: judged.body, answers: answers ?? undefined }
    const pathOf = (thread: string, answer: string) => answerPath(here, thread, answer)
    const outcome = await writeComment(visit.db, outlines, opened, who, comment, pathOf)
    if (outcome.kind === 'closed') throw new RequestRefusedError(403, CLOSED)
    if (outcome.kind === 'unanswerable') {
      const problem = 'That comment can no longer be answered. You can send this one by itself.'
      return await again(problem, 409, null)
    }
    const { thread } = outcome
    return visit.goTo(
      thread === id
        ? `${threadPath(here, id)}?done=written`
        : answerPath(here, thread, id, '&done=answered'),
    )
  })

  app.post(`${PATH}/:comment/take-back`, async (request, reply) => {
    const { visit, opened, who } = await enter(request, reply)
    const isDone = await takeBack(visit.db, who, commentOf(request))
    return visit.goTo(`${pathTo(opened)}?done=${isDone ? 'taken-back' : 'not-yours'}`)
  })

  for (const act of ['hide', 'show'] as const) {
    app.post(`${PATH}/:comment/${act}`, async (request, reply) => {
      const { visit, opened } = await enter(request, reply)
      if (isOperator(visit.session.roles)) checkFactor(request, visit.session)
      const comment = commentOf(request)
      if (!(await moderate(visit.db, opened, actorOf(visit), comment, act))) {
        throw new RequestRefusedError(
          403,
          'Only owners, admins and lecturers of the course do this.',
        )
      }
      const thread = visit.form().get('thread') ?? ''
      const place = isUuid(thread) ? threadPath(pathTo(opened), thread) : pathTo(opened)
      return visit.goTo(`${place}?done=${act}`)
    })
  }
}

const NO_LECTURE = 'This lecture does not exist, or it is no longer open to you.'
const CLOSED =
  'You cannot write or read comments here now. Open the lecture to see whether you still have the course.'
const NO_COMMENT = 'This comment was taken back or hidden. The others stand below the lecture.'

function commentOf(request: FastifyRequest): string {
  const { comment } = request.params as { comment: string }
  if (!isUuid(comment)) throw new RequestRefusedError(404, NO_COMMENT)
  return comment
}

function actorOf({ request, session }: SignedInVisit): Actor & { userId: string } {
  const { person, roles } = session
  const { origin } = request.school
  return { via: 'account', userId: person.id, roles, origin, requestId: request.id }
}

const pathTo = ({ course, lecture }: LectureOfViewer) => lecturePath(course.slug, lecture.id)
const anchorOf = (comment: string) => `comment-${comment}`
const answerPath = (lecture: string, thread: string, answer: string, more = '') =>
  `${threadPath(lecture, thread)}?answer=${answer}${more}#${anchorOf(answer)}`

interface WriteForm {
  readonly newId: string
  readonly typed?: string
  readonly problem?: string
}

function show(
  { visit, opened, who: { isStaff } }: Taking,
  shown: { readonly thread: Thread | undefined; readonly form: WriteForm },
  status = 200,
): FastifyReply {
  const page = discussionPage({
    ...visit.frame(NOTICES),
    ...shown,
    opened,
    isStaff,
    timeZone: visit.request.school.timeZone,
  })
  return visit.page(page, status)
}

/** What the views of a comment need to know of their page. */
interface Around {
  readonly path: string
  readonly formToken: string
  readonly timeZone: string
  readonly isStaff: boolean
}

interface PanelProps {
  readonly discussion: Discussion
  readonly path: string
  readonly formToken: string
  readonly timeZone: string
}

/** Below a lecture. */
export function DiscussionPanel({ discussion, ...page }: PanelProps) {
  const { comments, next, lectureId, isFirst, isStaff, newId } = discussion
  const around = { ...page, isStaff }
  return (
    <Panel id="comments" title="Comments">
      {comments.length === 0 && next === undefined && isFirst && (
        <Empty>
          <p>There are no comments yet. Ask a question, or write what helped you.</p>
        </Empty>
      )}
      {comments.length > 0 && (
        <ol class="comments">
          {comments.map(({ answers, hasMoreAnswers, ...comment }) => (
            <Comment {...around} comment={comment} thread={comment.id}>
              <AnswerList {...around} thread={comment.id} answers={answers} />
              {hasMoreAnswers && (
                <p>
                  <a href={threadPath(page.path, comment.id)}>
                    All answers<span class="visually-hidden"> to {beginning(comment)}</span>
                  </a>
                </p>
              )}
            </Comment>
          ))}
        </ol>
      )}
      <Later {...{ isFirst, next }} first={page.path} list={lectureId} />
      <WriteForm {...page} label="Your comment" button="Send comment" form={{ newId }} />
    </Panel>
  )
}

function Later(props: {
  first: string
  list: string
  isFirst: boolean
  next: KeysetKey | undefined
}) {
  const { first, list, isFirst, next } = props
  return (
    <Pager
      first={`${first}#comments`}
      isFirst={isFirst}
      next={next && `${first}?after=${encodeKey(list, next)}#comments`}
      label="Later"
    >
      The earliest are on the first page.
    </Pager>
  )
}

interface DiscussionProps extends SiteFrame {
  opened: LectureOfViewer
  /** Absent where a comment is written that answers no other. */
  thread: Thread | undefined
  form: WriteForm
  isStaff: boolean
  timeZone: string
}

/** One comment with its answers, and the form for another one. */
export function discussionPage(props: DiscussionProps): string {
  const { opened, thread, form, isStaff, timeZone } = props
  const formToken = props.viewer?.formToken ?? ''
  const path = pathTo(opened)
  const around = { path, formToken, timeZone, isStaff }
  const title = thread === undefined ? 'Write a comment' : 'A comment and its answers'
  const answered = thread?.comment
  const isAnswerable = answered === undefined || !(answered.isHidden || answered.body === null)
  return sitePage({
    ...props,
    title,
    children: (
      <>
        <PageHead
          title={title}
          up={{ url: `${path}#comments`, label: opened.lecture.title || 'Lecture' }}
        />
        <section id="comments" class="panel" aria-label={title}>
          {thread !== undefined && (
            <>
              <ol class="comments">
                <Comment {...around} comment={thread.comment} thread={thread.comment.id} isAlone>
                  <AnswerList
                    {...around}
                    thread={thread.comment.id}
                    answers={thread.answers.comments}
                  />
                </Comment>
              </ol>
              <Later
                first={threadPath(path, thread.comment.id)}
                list={thread.comment.id}
                isFirst={thread.isFirst}
                next={thread.answers.next}
              />
            </>
          )}
          {isAnswerable ? (
            <WriteForm
              {...around}
              label={thread === undefined ? 'Your comment' : 'Your answer'}
              button={thread === undefined ? 'Send comment' : 'Send answer'}
              form={form}
              answers={answered?.id}
            />
          ) : (
            <p class="row-note">This comment can no longer be answered.</p>
          )}
        </section>
      </>
    ),
  })
}

interface CommentProps extends Around {
  comment: ShownComment
  /** The id of the comment above the answers. */
  thread: string
  /** Whether it stands on its own page. */
  isAlone?: boolean
  children?: ComponentChildren
}

const beginning = ({ body, name }: ShownComment) =>
  plainText((body ?? '').slice(0, 40)) || plainText(name)

function Comment(props: CommentProps) {
  const { comment, thread, children, timeZone } = props
  const { id, name, body, isByStaff, isHidden, createdAt, avatarUrl } = comment
  if (body === null) {
    return (
      <li id={anchorOf(id)} class="comment">
        <Avatar name="" />
        <div class="comment-words">
          <p class="row-note">Taken back</p>
          {children}
        </div>
      </li>
    )
  }
  return (
    <li id={anchorOf(id)} class="comment">
      <Avatar name={name} url={pictureUrl(avatarUrl, '')} />
      <div class="comment-words">
        <p class="comment-by">
          <Name text={name} fallback="A member" />
          {isByStaff && <Badge>Staff</Badge>}
          {isHidden && <Badge tone="over">Hidden</Badge>}
          <span class="row-note">
            <Moment at={createdAt} timeZone={timeZone} />
          </span>
        </p>
        <p class="as-written" dir="auto">
          {withLinks(visibleLines(body))}
        </p>
        <Acts {...props} isAnswer={id !== thread} />
        {children}
      </div>
    </li>
  )
}

function AnswerList(props: Around & { thread: string; answers: readonly ShownComment[] }) {
  const { answers, ...around } = props
  if (answers.length === 0) return null
  return (
    <ol class="comments" aria-label="Answers">
      {answers.map((comment) => (
        <Comment {...around} comment={comment} />
      ))}
    </ol>
  )
}

/** What the viewer can do with a comment. */
function Acts(props: CommentProps & { isAnswer: boolean }) {
  const { comment, path, thread, formToken, isStaff, isAnswer, isAlone = false } = props
  const { id, isOwn, isHidden } = comment
  const what = <span class="visually-hidden">: {beginning(comment)}</span>
  const action = `${threadPath(path, id)}`
  const canAnswer = !(isAnswer || isAlone || isHidden)
  if (!(canAnswer || isOwn || isStaff)) return null
  return (
    <div class="comment-acts">
      {canAnswer && (
        <a href={`${threadPath(path, thread)}#words`}>
          Answer
          {what}
        </a>
      )}
      {isStaff && (
        <Form
          action={`${action}/${isHidden ? 'show' : 'hide'}`}
          formToken={formToken}
          hidden={{ thread }}
        >
          <Button look="quiet">
            {isHidden ? 'Show again' : 'Hide'}
            {what}
          </Button>
        </Form>
      )}
      {isOwn && (
        <details>
          <summary>
            Take back
            {what}
          </summary>
          <p class="row-note">Its text is deleted for good. Answers of others stay.</p>
          <Form action={`${action}/take-back`} formToken={formToken}>
            <Button look="danger">
              Delete it
              {what}
            </Button>
          </Form>
        </details>
      )}
    </div>
  )
}

const MOST = LONGEST_COMMENT.toLocaleString('en')
const HINT = `Plain text, up to ${MOST} characters. People who have the course see it, with your name.`

interface WriteFormProps {
  path: string
  formToken: string
  label: string
  button: string
  form: WriteForm
  answers?: string | undefined
}

function WriteForm({ path, formToken, label, button, form, answers }: WriteFormProps) {
  const { newId, typed = '', problem } = form
  const told = { hint: HINT, problems: problem === undefined ? [] : [problem] }
  return (
    <Form action={`${path}/comments`} formToken={formToken} hidden={{ comment: newId, answers }}>
      {problem !== undefined && <Alert tone="error" title="Nothing was written." />}
      <Labelled id="words" label={label} {...told}>
        <textarea
          id="words"
          name="words"
          rows={5}
          class="words"
          dir="auto"
          required
          {...toldOf('words', told)}
        >
          {typed}
        </textarea>
      </Labelled>
      <Button look="primary">{button}</Button>
    </Form>
  )
}

const ADDRESS = /https?:\/\/[^\s<>"]+/gi
/** Ends a sentence, and not an address. */
const CLOSING = new Set(".,;:!?'”’)]}»…")

/**
 * A text with its addresses as links. What the reader sees of a link begins with where it leads:
 * letters that look like others, and a name before an @, are not taken for a host.
 */
export function withLinks(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = []
  let end = 0
  for (const { 0: match, index } of text.matchAll(ADDRESS)) {
    let length = match.length
    while (CLOSING.has(match.charAt(length - 1))) length -= 1
    const written = match.slice(0, length)
    const url = parseUrl(written)
    if (url === undefined || url.username !== '' || url.password !== '') continue
    const isPlain = written.toLowerCase().startsWith(url.origin)
    parts.push(
      text.slice(end, index),
      <a class="address" href={url.href} rel="nofollow ugc noopener" dir="ltr">
        {isPlain ? written : url.href}
      </a>,
    )
    end = index + length
  }
  return [...parts, text.slice(end)]
}
