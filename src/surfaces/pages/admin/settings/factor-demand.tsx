import type { FastifyInstance } from 'fastify'
import {
  daysToFactor,
  demandFactor,
  findMeans,
  MOST_GRACE_DAYS,
} from '../../../../domain/people/factors/demand.ts'
import { Alert, Button, Form } from '../../../../foundation/html/components.tsx'
import { Select } from '../../../../foundation/html/form-fields.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { Panel } from '../../../../foundation/html/site-components.tsx'
import type { AppContext } from '../../../../gate/context.ts'
import { adminPaths, factorPaths } from '../../frame/paths.ts'
import { count } from '../../frame/words.ts'
import type { AdminFrame } from '../frame/admin-page.tsx'
import { type OperatorVisit, operatorVisit } from '../frame/operator.ts'

const DEMAND_PATH = `${adminPaths.settings}/factor`

const DAYS = [0, 3, 7, 14, MOST_GRACE_DAYS]

export interface FactorDemandProps {
  /** From when on it is demanded; undefined if it is not. */
  from: Date | undefined
  /** The days until then; undefined if it is demanded already, or not at all. */
  daysLeft: number | undefined
  isOwner: boolean
  /** Whether this owner could meet the demand. */
  hasMeans: boolean
}

/** The panel of the settings about what owners and admins sign in with. */
export function FactorDemandPanel(props: AdminFrame & { demand: FactorDemandProps }) {
  const { from, isOwner } = props.demand
  return (
    <Panel
      title="Sign-in of owners and admins"
      lead="Require a passkey or a second factor: a password that was guessed or stolen then opens neither the admin area nor new apps for owners and admins."
    >
      <State {...props} />
      {!isOwner && <p>Only an owner can change this.</p>}
      {isOwner && from !== undefined && (
        <DemandForm {...props} demanded="no" button="Stop requiring it" />
      )}
      {isOwner && from === undefined && <Offer {...props} />}
    </Panel>
  )
}

function State({
  demand: { from, daysLeft },
  timeZone,
}: AdminFrame & { demand: FactorDemandProps }) {
  if (from === undefined) return <p>It is not required.</p>
  const moment = <Moment at={from} timeZone={timeZone} />
  if (daysLeft === undefined) return <p>It has been required since {moment}.</p>
  return (
    <p>
      It is required in {count(daysLeft, 'day', 'days')}, from {moment} on.
    </p>
  )
}

function Offer(props: AdminFrame & { demand: FactorDemandProps }) {
  if (props.demand.hasMeans) return <DemandForm {...props} demanded="yes" button="Require it" />
  return (
    <Alert tone="warning" title="Set up your own first">
      <p>
        Otherwise you would lock yourself out. <a href={factorPaths.page}>Set up a second factor</a>{' '}
        or <a href="/account/passkeys">add a passkey</a>.
      </p>
    </Alert>
  )
}

function DemandForm(props: AdminFrame & { demanded: 'yes' | 'no'; button: string }) {
  return (
    <Form
      action={DEMAND_PATH}
      formToken={props.viewer?.formToken ?? ''}
      hidden={{ demanded: props.demanded }}
    >
      {props.demanded === 'yes' && (
        <Select
          name="grace_days"
          label="Time to set it up"
          value="14"
          options={DAYS.map((days) => [
            String(days),
            days === 0 ? 'None: from now on' : count(days, 'day', 'days'),
          ])}
        />
      )}
      <Button look={props.demanded === 'yes' ? 'primary' : 'plain'}>{props.button}</Button>
    </Form>
  )
}

/** What the settings page shows about it. */
export async function demandOf({
  request,
  session: operator,
}: OperatorVisit): Promise<FactorDemandProps> {
  const from = request.school.operatorFactorFrom
  const isOwner = operator.roles.includes('owner')
  const { hasSecondFactor, hasPasskey } = await findMeans(request.schoolDb, operator.person.id)
  // The days are told to everyone, also to those who could go on.
  const daysLeft = daysToFactor(request.school, { ...operator, methods: [] })
  return { from, daysLeft, isOwner, hasMeans: hasSecondFactor || hasPasskey }
}

export function addFactorDemandRoutes(app: FastifyInstance, context: AppContext): void {
  app.post(DEMAND_PATH, async (request, reply) => {
    const visit = await operatorVisit(context, request, reply, adminPaths.settings)
    const form = visit.form()
    const outcome = await visit.perform(demandFactor, {
      demanded: form.get('demanded') === 'yes',
      grace_days: Number(form.get('grace_days') ?? 0),
    })
    const done = outcome.kind === 'done' ? 'saved' : 'demand-refused'
    return visit.goTo(`${adminPaths.settings}?done=${done}`)
  })
}
