import type { ComponentChildren } from 'preact'
import {
  type CommentPage,
  LONGEST_COMMENT,
  type ShownComment,
  type Thread,
} from '../../../domain/learning/discussion.ts'
import type { LectureOfViewer } from '../../../domain/learning/open-lecture.ts'
import { pictureUrl } from '../../../domain/people/person.ts'
import { encodeKey, type KeysetKey } from '../../../foundation/db/keyset.ts'
import { Alert, Avatar, Button, Form, Name } from '../../../foundation/html/components.tsx'
import { Labelled, toldOf } from '../../../foundation/html/form-fields.tsx'
import { withLinks } from '../../../foundation/html/linked-text.tsx'
import { Moment } from '../../../foundation/html/moment.tsx'
import { Badge, Empty, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { plainText, visibleLines } from '../../../foundation/text/plain-text.ts'
import { type SiteFrame, sitePage } from '../frame/layout.tsx'
import { Pager } from '../frame/list-parts.tsx'
import { lecturePath, threadPath } from '../frame/paths.ts'

export const pathTo = ({ course, lecture }: LectureOfViewer) => lecturePath(course.slug, lecture.id)
const anchorOf = (comment: string) => `comment-${comment}`
export const answerPath = (lecture: string, thread: string, answer: string, more = '') =>
  `${threadPath(lecture, thread)}?answer=${answer}${more}#${anchorOf(answer)}`

/** What stands below a lecture, for a person who takes part. */
export interface Discussion extends CommentPage {
  readonly lectureId: string
  readonly isFirst: boolean
  readonly isStaff: boolean
  /** Of the comment that the form may write. */
  readonly newId: string
}

export interface CommentDraft {
  readonly newId: string
  readonly typed?: string
  readonly problem?: string
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
  form: CommentDraft
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
  const action = threadPath(path, id)
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
  form: CommentDraft
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
