import { SETUP_CODE_MINUTES } from '../../../domain/setup/first-school.ts'
import { Address, Alert, Button, Card, Field, Form } from '../../../foundation/html/components.tsx'
import { errorPage } from '../../../foundation/html/error-page.tsx'
import { Layout, renderPage } from '../../../foundation/html/layout.tsx'
import { COMMAND } from '../../../foundation/text/command-name.ts'
import { NewPasswordField } from './new-password-field.tsx'
import { NewSchoolSteps } from './new-school-steps.tsx'
import { count } from './words.ts'

/** What the person typed, without the code and the password, which no page repeats. */
export interface SetupValues {
  readonly school_name: string
  readonly origin: string
  readonly subdomain: string
  readonly name: string
  readonly email: string
}

export type SetupField = keyof SetupValues | 'code' | 'password'
export type SetupProblems = Readonly<Partial<Record<SetupField, string>>>

export type CodeProblem = { kind: 'wrong'; triesLeft: number } | { kind: 'over' }

interface SetupProps {
  formToken: string
  values: SetupValues
  problems?: SetupProblems | undefined
  codeProblem?: CodeProblem | undefined
}

const FIELDS = ['code', 'school_name', 'origin', 'subdomain', 'name', 'email', 'password'] as const
const TITLE = 'Set up Schoolgate'

/** An empty installation: makes the first school and its owner. */
export function setupPage(props: SetupProps): string {
  const { values, problems = {}, codeProblem } = props
  const wrong = FIELDS.find((field) => problems[field] !== undefined)
  const failed = wrong !== undefined || codeProblem !== undefined
  const focus = wrong ?? 'code'
  const about = (field: SetupField) => ({
    name: field,
    error: problems[field],
    autofocus: focus === field,
  })
  return renderPage(
    <Layout title={failed ? `Error: ${TITLE}` : TITLE}>
      <Card>
        <h1>{TITLE}</h1>
        <p class="lead">
          There is no school on this server yet. Make the first one, and the account of its owner.
        </p>
        {codeProblem && <CodeAlert problem={codeProblem} />}
        <Form action="/setup" formToken={props.formToken}>
          <Field
            {...about('code')}
            label="Setup code"
            type="text"
            autocomplete="off"
            describedBy={codeProblem && 'problem'}
            hint={`Twelve letters and digits from the log of the server. It works for ${SETUP_CODE_MINUTES} minutes.`}
          />
          <h2>The school</h2>
          <Field
            {...about('school_name')}
            label="Name of the school"
            type="text"
            autocomplete="organization"
            value={values.school_name}
          />
          <Field
            {...about('origin')}
            label="Address"
            type="text"
            autocomplete="off"
            value={values.origin}
            hint="Where people reach the school, such as https://school.example. Apps know the school by this address."
          />
          <Field
            {...about('subdomain')}
            label="Short name"
            type="text"
            autocomplete="off"
            value={values.subdomain}
            hint="One word of lower-case letters, digits and hyphens, for commands and apps."
          />
          <h2>Its owner</h2>
          <Field
            {...about('name')}
            label="Your name"
            type="text"
            autocomplete="name"
            value={values.name}
          />
          <Field
            {...about('email')}
            label="Email address"
            type="email"
            autocomplete="username"
            value={values.email}
          />
          <NewPasswordField {...about('password')} name="password" label="Password" />
          <Button look="primary">Make the school</Button>
        </Form>
      </Card>
    </Layout>,
  )
}

function CodeAlert({ problem }: { problem: CodeProblem }) {
  return problem.kind === 'wrong' ? (
    <Alert id="problem" tone="error" title="This is not the setup code">
      <p>
        Check it in the log of the server; the newest one counts. You have{' '}
        {count(problem.triesLeft, 'try', 'tries')} left.
      </p>
    </Alert>
  ) : (
    <Alert id="problem" tone="error" title="The setup code does not work any more">
      <p>
        It expired, or was tried too often. Run <code>{COMMAND} setup-code</code> on the server, or
        restart it, and type the new code.
      </p>
    </Alert>
  )
}

/** Answers 403: code and password would travel over the network in clear text. */
export function unsafeSetupPage({ reference, host }: { reference: string; host: string }): string {
  return errorPage({
    title: 'Open this page over https',
    what: (
      <p>
        There is no school on this server yet. The page that makes the first one takes a code and a
        password, and <Address text={host} /> was reached without https.
      </p>
    ),
    next: (
      <ul>
        <li>
          Open this address with https. If it already begins with https, set{' '}
          <code>TRUST_PROXY</code> to the address of your proxy, and have it set{' '}
          <code class="whole">X-Forwarded-Proto</code> and{' '}
          <code class="whole">X-Forwarded-Host</code>.
        </li>
        <li>
          Or open <code>http://localhost</code> with the port of the server on the machine itself,
          for example through <code>ssh -L</code>.
        </li>
        <li>
          Or use the command line: <code>{COMMAND} school create</code> and{' '}
          <code>{COMMAND} user create</code>.
        </li>
      </ul>
    ),
    reference,
  })
}

/** Answers 200: the school has another address than this page, where it may not answer yet. */
export function schoolMadePage({
  origin,
  reference,
}: {
  origin: string
  reference: string
}): string {
  const signIn = `${origin}/sign-in?return_to=%2Fadmin`
  return errorPage({
    title: 'The school is ready',
    what: (
      <p>
        Its address is <Address text={origin} />. It answers there as soon as this name leads to
        this server.
      </p>
    ),
    next: (
      <>
        <p>
          <a href={signIn}>Sign in there</a> with the email address and the password that you chose.
        </p>
        <NewSchoolSteps />
      </>
    ),
    reference,
  })
}
