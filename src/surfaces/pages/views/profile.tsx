import {
  Alert,
  Avatar,
  Button,
  Field,
  Form,
  FormToken,
} from '../../../foundation/html/components.tsx'
import { ButtonLink, PageHead, Panel } from '../../../foundation/html/site-components.tsx'
import { SETTINGS_PATH, TO_SETTINGS } from './account-paths.ts'
import type { Person } from './person.tsx'
import { type SiteFrame, sitePage } from './site-layout.tsx'

const PICTURE_PROBLEMS = {
  none: 'Choose a picture first.',
  too_large: 'The picture is larger than 256 kB. Make it smaller and choose it again.',
  format: 'This is not a PNG, JPEG or WebP picture. Choose another.',
  broken: 'The picture is damaged. Choose another.',
  moving: 'The picture moves. Choose one that does not.',
  size: 'Choose a picture with sides of 16 to 4096 pixels.',
  too_many: 'You have changed your picture many times. Try again in an hour.',
} as const

export type ProfileProblem =
  | { kind: 'name'; typed: string; detail: string }
  | { kind: 'picture'; problem: keyof typeof PICTURE_PROBLEMS }

interface ProfileProps extends SiteFrame {
  person: Person
  /** False on a server without a place for files. */
  storesPictures: boolean
  problem?: ProfileProblem | undefined
}

export function profilePage(props: ProfileProps): string {
  const { person, problem, viewer } = props
  const formToken = viewer?.formToken ?? ''
  const title = 'Name and picture'
  return sitePage({
    ...props,
    title: problem === undefined ? title : `Error: ${title}`,
    children: (
      <>
        <PageHead
          title={title}
          lead="They are the same at all your schools on this server, and apps that you allow see them."
          up={TO_SETTINGS}
        />
        <Panel title="Name">
          <Form action="/account/profile" formToken={formToken}>
            <Field
              name="name"
              label="Your name"
              type="text"
              autocomplete="name"
              value={problem?.kind === 'name' ? problem.typed : person.name}
              error={problem?.kind === 'name' ? problem.detail : undefined}
              autofocus={problem?.kind === 'name'}
            />
            <Button look="primary">Save name</Button>
          </Form>
        </Panel>
        <Panel
          title="Picture"
          lead={
            props.storesPictures
              ? 'Everyone who knows its address can load it. Place, device and other facts in the file are removed before it is stored.'
              : 'You cannot upload a picture on this server.'
          }
        >
          {problem?.kind === 'picture' && (
            <Alert tone="error" title={PICTURE_PROBLEMS[problem.problem]} />
          )}
          <Avatar name={person.name || person.email} url={person.avatarUrl} />
          {props.storesPictures && (
            <PictureForms formToken={formToken} hasPicture={person.avatarUrl !== undefined} />
          )}
        </Panel>
      </>
    ),
  })
}

function PictureForms({ formToken, hasPicture }: { formToken: string; hasPicture: boolean }) {
  return (
    <>
      <form method="post" action="/account/profile/picture" encType="multipart/form-data">
        <FormToken value={formToken} />
        <div class="field">
          <label for="picture">{hasPicture ? 'Choose another picture' : 'Choose a picture'}</label>
          <p id="picture-hint" class="field-hint">
            PNG, JPEG or WebP, at most 256 kB. It is shown in a circle.
          </p>
          <input
            id="picture"
            type="file"
            name="picture"
            accept="image/png,image/jpeg,image/webp"
            aria-describedby="picture-hint"
          />
        </div>
        <div class="actions">
          <Button look="primary">Upload</Button>
          <ButtonLink look="plain" href={SETTINGS_PATH}>
            Cancel
          </ButtonLink>
        </div>
      </form>
      {hasPicture && (
        <form method="post" action="/account/profile/picture" encType="multipart/form-data">
          <FormToken value={formToken} />
          <Button look="danger" name="remove" value="yes">
            Remove picture
          </Button>
        </form>
      )}
    </>
  )
}
