import type { FastifyInstance, FastifyReply } from 'fastify'
import { pictureUrl } from '../../../domain/people/person.ts'
import { joinAsStudent, requestSignUp } from '../../../domain/people/sign-up.ts'
import { acrossSchools } from '../../../foundation/db/school-db.ts'
import { Button, Form, Name } from '../../../foundation/html/components.tsx'
import { type Branding, CardPage, renderPage } from '../../../foundation/html/layout.tsx'
import { clientAddress } from '../../../foundation/http/client-address.ts'
import { brandingOf } from '../../../gate/branding.ts'
import type { AppContext } from '../../../gate/context.ts'
import { queryOf } from '../frame/layout.tsx'
import { type Person, SignedInAs, type SwitchAccount } from '../frame/parts.tsx'
import { type SignedInVisit, signedInVisit, type Visit, visitOf } from '../frame/visit.ts'
import {
  type AfterSignIn,
  keepAfterSignIn,
  placeAfterSignIn,
  readAfterSignIn,
} from './after-sign-in.ts'
import {
  browserOf,
  checkSignUpIsOn,
  judgeTyped,
  SIGN_UP_PATH,
  type SignUpState,
  signUpPage,
} from './sign-up-form.tsx'

const JOIN_PATH = `${SIGN_UP_PATH}/join`

/**
 * Where a school lets people become students by themselves. No answer shows whether an account
 * exists.
 */
export function addSignUpRoutes(app: FastifyInstance, context: AppContext): void {
  const { keyring } = context

  app.get(SIGN_UP_PATH, async (request, reply) => {
    checkSignUpIsOn(request)
    const query = queryOf(request)
    const afterSignIn = readAfterSignIn(keyring, request.school.id, query)
    const visit = await visitOf(context, request, reply)
    if (visit.isSignedIn()) return await welcome(visit, afterSignIn)
    const state = { kind: query.has('sent') ? 'sent' : 'asking' } as const
    return await ask(visit, state, afterSignIn)
  })

  app.post(SIGN_UP_PATH, async (request, reply) => {
    request.queuedMail = true
    checkSignUpIsOn(request)
    const visit = await visitOf(context, request, reply)
    const form = visit.form()
    const afterSignIn = readAfterSignIn(keyring, request.school.id, form)
    const typed = { name: form.get('name') ?? '', email: (form.get('email') ?? '').trim() }
    const again = (state: SignUpState, status: number) => ask(visit, state, afterSignIn, status)
    if (context.mailer === undefined) return await again({ kind: 'asking' }, 200)
    const judged = judgeTyped(typed)
    if ('problems' in judged) return await again({ kind: 'wrong', typed, ...judged }, 400)
    const { sealedRequest, returnTo } = afterSignIn
    const outcome = await requestSignUp(
      acrossSchools(request.schoolDb),
      request.schoolDb,
      keyring.key('sign-in-throttle'),
      {
        email: judged.email,
        address: clientAddress(request),
        facts: {
          name: judged.name,
          browser: browserOf(request),
          request: sealedRequest,
          return_to: returnTo,
        },
      },
    )
    if (outcome.kind === 'throttled') {
      reply.header('retry-after', outcome.retryAfterSeconds)
      return await again({ ...outcome, typed }, 429)
    }
    const sent = keepAfterSignIn(`${SIGN_UP_PATH}?sent`, afterSignIn)
    return visit.goTo(sent, 'authorization')
  })

  app.post(JOIN_PATH, async (request, reply) => {
    checkSignUpIsOn(request)
    const visit = await signedInVisit(context, request, reply, SIGN_UP_PATH)
    const { session } = visit
    const form = visit.form()
    const afterSignIn = readAfterSignIn(keyring, request.school.id, form)
    if (session.roles.length === 0) {
      const { person } = session
      const by = { proof: 'session', requestId: request.id } as const
      await request.schoolDb.transaction((tx) => joinAsStudent(tx, person.id, by))
    }
    return visit.goTo(placeAfterSignIn(afterSignIn, session.roles), 'authorization')
  })
}

/**
 * A person who is signed in needs no account. Without a role here they can join with the one they
 * have.
 */
async function welcome(visit: SignedInVisit, afterSignIn: AfterSignIn): Promise<FastifyReply> {
  const { session, request } = visit
  if (session.roles.length > 0) {
    return visit.goTo(placeAfterSignIn(afterSignIn, session.roles), 'authorization')
  }
  const page = joinPage({
    school: brandingOf(request.school),
    action: JOIN_PATH,
    formToken: visit.formToken(),
    person: { ...session.person, avatarUrl: pictureUrl(session.person.avatarUrl, '') },
    switchAccount: { action: '/sign-out', sealedRequest: afterSignIn.sealedRequest },
    afterSignIn,
  })
  return visit.page(page, 200, 'authorization')
}

async function ask(
  visit: Visit,
  state: SignUpState,
  afterSignIn: AfterSignIn,
  status = 200,
): Promise<FastifyReply> {
  const { request, context } = visit
  const page = signUpPage({
    school: brandingOf(request.school),
    action: SIGN_UP_PATH,
    formToken: visit.formToken(),
    afterSignIn,
    signInUrl: keepAfterSignIn('/sign-in', afterSignIn),
    state: context.mailer === undefined ? { kind: 'unavailable' } : state,
  })
  return visit.page(page, status, 'authorization')
}

interface JoinProps {
  school: Branding
  action: string
  formToken: string
  person: Person
  switchAccount: SwitchAccount
  /** Where the person continues afterwards. */
  afterSignIn: { sealedRequest?: string | undefined; returnTo?: string | undefined }
}

/** For a person who is signed in and has no role here. */
export function joinPage(props: JoinProps): string {
  const { school, afterSignIn } = props
  const name = <Name text={school.name} fallback="this school" />
  return renderPage(
    <CardPage title="Join as a student" heading={<>Join {name}</>} school={school}>
      <p class="lead">
        You become a student here with the account that you have. {name} then sees your name,
        picture and email address.
      </p>
      <SignedInAs {...props} />
      <Form
        action={props.action}
        formToken={props.formToken}
        hidden={{ request: afterSignIn.sealedRequest, return_to: afterSignIn.returnTo }}
      >
        <Button look="primary">Join as a student</Button>
      </Form>
      <p class="aside">
        <a href="/">Not now</a>
      </p>
    </CardPage>,
  )
}
