import { Button, Form } from '../../../foundation/html/components.tsx'
import { Field } from '../../../foundation/html/form-fields.tsx'
import {
  AccountOfPassword,
  BusyAlert,
  NewPasswordField,
  type PasswordFormProblem,
  passwordProblem,
} from './password-fields.tsx'

export type FirstPasswordProblem =
  | { kind: 'name'; problem: string }
  | Extract<PasswordFormProblem, { kind: 'unfit' }>
  | { kind: 'busy'; retryAfterSeconds: number }

export interface FirstPasswordProps {
  formToken: string
  /** The sealed link in the mail, which led here. */
  link: string
  email: string
  name: string
  problem?: FirstPasswordProblem | undefined
}

/** The name and the first password of a person whose mailbox is proven. */
export function FirstPasswordForm(props: FirstPasswordProps & { action: string; button: string }) {
  const { problem } = props
  const nameError = problem?.kind === 'name' ? problem.problem : undefined
  const passwordError = problem?.kind === 'unfit' ? passwordProblem(problem.problem) : undefined
  return (
    <>
      {problem?.kind === 'busy' && <BusyAlert />}
      <Form action={props.action} formToken={props.formToken} hidden={{ link: props.link }}>
        <AccountOfPassword email={props.email} />
        <Field
          name="name"
          label="Your name"
          type="text"
          autocomplete="name"
          value={props.name}
          error={nameError}
          autofocus={nameError !== undefined}
        />
        <NewPasswordField
          label="Password"
          error={passwordError}
          autofocus={nameError === undefined}
        />
        <Button look="primary">{props.button}</Button>
      </Form>
    </>
  )
}
