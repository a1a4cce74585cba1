import type { AnswerProblems, PublicForm } from '../../../domain/content/answer-form.ts'
import type { Question } from '../../../domain/content/form-operations.ts'
import { Alert, Button, Form } from '../../../foundation/html/components.tsx'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { ButtonLink, Empty, PageHead } from '../../../foundation/html/site-components.tsx'
import { type SiteFrame, sitePage } from './site-layout.tsx'
import { waitInWords } from './words.ts'

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

/** Questions may have any name, also that of a field of ours. */
export const ANSWER_PREFIX = 'answer.'

export function answerName(question: string): string {
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
        <Field
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

interface FieldProps {
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

function Field({ question, id, value, problem }: FieldProps) {
  const { name, label, kind, required } = question
  const problemId = problem === undefined ? undefined : `${id}-problem`
  const shared = {
    id,
    name: answerName(name),
    required,
    dir: 'auto' as const,
    'aria-invalid': problem === undefined ? undefined : ('true' as const),
    'aria-describedby': problemId,
  }
  return (
    <div class="field">
      <label for={id}>
        <bdi>{plainText(label)}</bdi>
        {!required && <span class="row-note"> (optional)</span>}
      </label>
      {problem !== undefined && (
        <p id={problemId} class="field-error">
          {problem}
        </p>
      )}
      {kind === 'long_text' ? (
        <textarea {...shared} rows={6} class="words">
          {value}
        </textarea>
      ) : kind === 'yes_no' ? (
        <select {...shared}>
          {CHOICES.map(([choice, words]) => (
            <option value={choice} selected={choice === value}>
              {words}
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
    </div>
  )
}
