import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type InputProblem, judgeInput } from '../../../domain/operation/refusal.ts'
import { addedPerson } from '../../../domain/people/member-operations.ts'
import { findPasswordProblem } from '../../../domain/people/password-strength.ts'
import { columnsOf, type NewSchool, newSchool } from '../../../domain/schools/school-details.ts'
import {
  createFirstSchool,
  type EmptyInstallation,
  SETUP_CODE_MINUTES,
  trySetupCode,
} from '../../../domain/setup/first-school.ts'
import { hashPassword } from '../../../foundation/crypto/password.ts'
import { isDatabaseUnavailable } from '../../../foundation/db/unavailable.ts'
import { Address, Alert, Button, Card, Form } from '../../../foundation/html/components.tsx'
import { errorPage, ourFaultPage, unavailablePage } from '../../../foundation/html/error-page.tsx'
import { Field } from '../../../foundation/html/form-fields.tsx'
import { Layout, renderPage } from '../../../foundation/html/layout.tsx'
import { clientAddress, type TrustProxy } from '../../../foundation/http/client-address.ts'
import { findClientFault, RequestRefusedError } from '../../../foundation/http/client-fault.ts'
import { logFailure } from '../../../foundation/http/last-resort.ts'
import { nameSurface } from '../../../foundation/http/observe-requests.ts'
import { createOriginReader } from '../../../foundation/http/origin.ts'
import { acceptForms } from '../../../foundation/http/request-body.ts'
import { pageHeaders } from '../../../foundation/http/security-headers.ts'
import { isLoopbackAddress } from '../../../foundation/net/address.ts'
import { isOwnMachine, parseUrl } from '../../../foundation/net/parse-url.ts'
import { COMMAND } from '../../../foundation/text/command-name.ts'
import type { AppContext } from '../../../gate/context.ts'
import { anonymousForm, anonymousFormToken } from '../frame/page-request.ts'
import { NewSchoolSteps } from '../frame/parts.tsx'
import { NewPasswordField, passwordProblem } from '../frame/password-fields.tsx'
import { count } from '../frame/words.ts'

/**
 * The first-run page, on any host, because no school exists that could own one. As soon as there is
 * a school, these routes answer like every other unknown address.
 */
export function addSetupRoutes(
  app: FastifyInstance,
  context: AppContext,
  installation: EmptyInstallation,
  trust: TrustProxy,
): void {
  const readOrigin = createOriginReader(trust)
  const originOf = (request: FastifyRequest): string => {
    const { origin, problem } = readOrigin(request)
    if (origin === undefined) throw new RequestRefusedError(400, problem)
    return origin
  }

  app.register(async (scope) => {
    nameSurface(scope, 'pages')
    scope.setErrorHandler(answerSetupError)
    acceptForms(scope, (text) => new URLSearchParams(text), context.limits.formBodyBytes)
    // Before the body is read: with a school, a post gets the same 404 as at any other address.
    scope.addHook('onRequest', async (request, reply) => {
      if (!(await installation.isEmpty())) {
        reply.callNotFound()
        return reply
      }
      const origin = originOf(request)
      if (isSafePlace(origin, request)) return
      request.outcome.result = 'setup_without_https'
      const { host } = new URL(origin)
      return send(reply, origin, unsafeSetupPage({ reference: request.id, host }), 403)
    })

    scope.get('/setup', async (request, reply) => {
      const origin = originOf(request)
      const formToken = anonymousFormToken(context.keyring, request, reply, origin)
      return send(reply, origin, setupPage({ formToken, values: suggestedValues(origin) }))
    })

    scope.post('/setup', async (request, reply) => {
      const origin = originOf(request)
      const asked = readSetupForm(anonymousForm(context.keyring, request, origin))
      const again = (
        told: Omit<Parameters<typeof setupPage>[0], 'formToken' | 'values'>,
        status: number,
      ) => {
        const formToken = anonymousFormToken(context.keyring, request, reply, origin)
        return send(reply, origin, setupPage({ formToken, values: asked.values, ...told }), status)
      }
      const judged = await judgeSetup(asked)
      if ('problems' in judged) return again({ problems: judged.problems }, 400)
      const tried = await trySetupCode(context.db, asked.code)
      if (tried.kind !== 'right') {
        request.outcome.result = 'setup_code_refused'
        return again({ codeProblem: tried }, 403)
      }
      const { school, owner } = judged
      const passwordHash = await hashPassword(asked.password)
      const by = { via: 'setup', requestId: request.id } as const
      const made = await createFirstSchool(
        context.db,
        { school, owner: { ...owner, passwordHash } },
        by,
      )
      if (!made) return reply.callNotFound()
      context.directory.forget()
      request.log.info({ school: school.subdomain }, 'the first school was made')
      if (school.origin === origin) {
        return reply
          .headers(pageHeaders(origin, 'site'))
          .redirect('/sign-in?new_school&return_to=%2Fadmin', 303)
      }
      return send(reply, origin, schoolMadePage({ origin: school.origin, reference: request.id }))
    })
  })
}

/**
 * Over https, or from a browser on this machine: code and password never cross a network in clear
 * text.
 */
function isSafePlace(origin: string, request: FastifyRequest): boolean {
  if (origin.startsWith('https://')) return true
  return isOwnMachine(new URL(origin).hostname) && isLoopbackAddress(clientAddress(request))
}

function send(reply: FastifyReply, origin: string, html: string, status = 200): FastifyReply {
  return reply
    .code(status)
    .headers(pageHeaders(origin, 'site'))
    .type('text/html; charset=utf-8')
    .send(html)
}

function answerSetupError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const reference = request.id
  const fault = findClientFault(error)
  if (fault !== undefined) {
    const page = errorPage({
      title: 'Something went wrong',
      what: fault.description,
      next: 'Open /setup again and send the form from there.',
      reference,
    })
    return send(reply, 'http://', page, fault.status)
  }
  logFailure(request, error)
  if (isDatabaseUnavailable(error)) {
    reply.header('retry-after', 5)
    return send(reply, 'http://', unavailablePage({ reference }), 503)
  }
  return send(reply, 'http://', ourFaultPage({ reference }), 500)
}

const SHORT_NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The form before the person typed anything: the address is the one in their browser. */
function suggestedValues(origin: string): SetupValues {
  const [label = ''] = new URL(origin).hostname.split('.')
  const subdomain = SHORT_NAME.test(label) && /[a-z]/.test(label) ? label : 'school'
  return { school_name: '', origin, subdomain, name: '', email: '' }
}

export interface SetupRequest {
  readonly code: string
  readonly password: string
  readonly values: SetupValues
}

function readSetupForm(form: URLSearchParams): SetupRequest {
  const text = (name: SetupField) => (form.get(name) ?? '').trim()
  return {
    code: text('code'),
    // Not trimmed: spaces belong to a password.
    password: form.get('password') ?? '',
    values: {
      school_name: text('school_name'),
      origin: text('origin'),
      subdomain: text('subdomain'),
      name: text('name'),
      email: text('email'),
    },
  }
}

type JudgedSetup =
  | { readonly school: NewSchool; readonly owner: { email: string; name: string } }
  | { readonly problems: SetupProblems }

/** Judged before the code, so that a mistyped field does not cost one of its tries. */
async function judgeSetup({ code, password, values }: SetupRequest): Promise<JudgedSetup> {
  const { school_name: schoolName, origin, subdomain, name, email } = values
  const school = judgeInput(newSchool, { name: schoolName, origin, subdomain })
  const owner = judgeInput(z.strictObject(addedPerson), { name, email })
  // An address that cannot be read has its own problem, and no host that a password could repeat.
  const place = { name: schoolName, origin: parseUrl(origin) ? origin : 'http://localhost' }
  const unfit = await findPasswordProblem(password, { email, name, school: place })
  const problems: SetupProblems = {
    ...(code === '' ? { code: 'Type the code from the log.' } : {}),
    ...fieldProblems(school.problems, { name: 'school_name' }),
    ...fieldProblems(owner.problems),
    ...(unfit === undefined ? {} : { password: passwordProblem(unfit) }),
  }
  if (school.problems !== undefined || owner.problems !== undefined) return { problems }
  if (Object.keys(problems).length > 0) return { problems }
  return { school: columnsOf(school.data), owner: owner.data }
}

function fieldProblems(
  problems: readonly InputProblem[] = [],
  names: Readonly<Record<string, SetupField>> = {},
): SetupProblems {
  return Object.fromEntries(
    problems.map(({ pointer, detail }) => {
      const field = pointer.slice(1)
      return [names[field] ?? field, detail]
    }),
  )
}

/** What the person typed, without the code and the password, which no page repeats. */
interface SetupValues {
  readonly school_name: string
  readonly origin: string
  readonly subdomain: string
  readonly name: string
  readonly email: string
}

type SetupField = keyof SetupValues | 'code' | 'password'
type SetupProblems = Readonly<Partial<Record<SetupField, string>>>

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
