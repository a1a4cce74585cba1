import { normalEmail } from '../../../domain/people/person.ts'
import { Field } from '../../../foundation/html/form-fields.tsx'
import { plainText } from '../../../foundation/text/plain-text.ts'

const FIELD = 'confirm_name'

/** Whether the form of a dangerous act has the name of what it is about, in any case. */
export function isNameTyped(form: URLSearchParams, name: string): boolean {
  return comparable(typedIn(form)) === comparable(name)
}

/** Whether the form has this email, compared as at sign-in. */
export function isEmailTyped(form: URLSearchParams, email: string): boolean {
  return normalEmail(typedIn(form)) === normalEmail(email)
}

/** To show it again. */
export const typedIn = (form: URLSearchParams): string => form.get(FIELD) ?? ''

function comparable(name: string): string {
  return plainText(name).toLowerCase()
}

const LABELS = {
  name: 'Type the name to confirm',
  number: 'Type how many they are to confirm',
  'email address': 'Type your email address to confirm',
}

/** Asks for the name, so that nothing large is lost by a click on the wrong page. */
export function ConfirmName(props: {
  /** Of what the act is about; with several, how many they are. */
  name: string
  kind?: keyof typeof LABELS
  isWrong: boolean
  /** What was typed before, if it is shown again. */
  typed?: string | undefined
  /** What did not happen, for the error. */
  nothing?: string
}) {
  const { name, kind = 'name', isWrong, typed, nothing = 'Nothing was deleted.' } = props
  if (plainText(name) === '') return null
  return (
    <Field
      name={FIELD}
      label={LABELS[kind]}
      type={kind === 'email address' ? 'email' : 'text'}
      autocomplete="off"
      value={typed}
      autofocus={typed !== undefined}
      hint={plainText(name)}
      error={isWrong ? `This is another ${kind}. ${nothing}` : undefined}
    />
  )
}
