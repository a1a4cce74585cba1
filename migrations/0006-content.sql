-- Content: the files, posts, pages and forms that a school publishes.

create table files (
  school_id uuid not null references schools,
  id uuid not null,
  name text not null check (length(name) between 1 and 255),
  content_type text not null check (length(content_type) between 3 and 200),
  size_bytes bigint not null check (size_bytes >= 0),
  sha256 bytea not null check (length(sha256) = 32),
  storage_key text not null check (length(storage_key) between 1 and 500),
  created_by uuid,
  created_at timestamptz(3) not null default now(),
  primary key (school_id, id),
  foreign key (school_id, created_by) references school_members
);
create index files_by_time on files (school_id, created_at, id);
comment on table files is 'content: an uploaded file; the bytes lie in the storage under its key';

-- Here and not in 0001-schools.sql, which runs before files exists.
alter table appearances add foreign key (school_id, logo_file_id) references files;

create table posts (
  school_id uuid not null references schools,
  id uuid not null,
  slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 120),
  title text not null check (length(title) between 1 and 300),
  body text not null default '' check (length(body) <= 200000),
  state text not null default 'draft' check (state in ('draft', 'published')),
  author_id uuid,
  published_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, id),
  unique (school_id, slug),
  foreign key (school_id, author_id) references school_members,
  check (state <> 'published' or published_at is not null)
);
create index posts_by_time on posts (school_id, created_at, id);
create index posts_published on posts (school_id, published_at, id) where state = 'published';
comment on table posts is 'content: a dated article in Markdown';

create table pages (
  school_id uuid not null references schools,
  id uuid not null,
  slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 120),
  title text not null check (length(title) between 1 and 300),
  body text not null default '' check (length(body) <= 200000),
  state text not null default 'draft' check (state in ('draft', 'published')),
  position integer not null default 0,
  published_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, id),
  unique (school_id, slug),
  check (state <> 'published' or published_at is not null)
);
create index pages_by_time on pages (school_id, created_at, id);
comment on table pages is 'content: a standing page in Markdown';

create table forms (
  school_id uuid not null references schools,
  id uuid not null,
  slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 120),
  title text not null check (length(title) between 1 and 300),
  fields jsonb not null default '[]' check (jsonb_typeof(fields) = 'array'),
  state text not null default 'open' check (state in ('draft', 'open', 'closed')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1,
  primary key (school_id, id),
  unique (school_id, slug)
);
create index forms_by_time on forms (school_id, created_at, id);
comment on table forms is 'content: a questionnaire; fields is a list of {name, label, kind, required}';

create table form_submissions (
  school_id uuid not null,
  id uuid not null,
  form_id uuid not null,
  user_id uuid,
  answers jsonb not null check (jsonb_typeof(answers) = 'object'),
  submitted_at timestamptz(3) not null default now(),
  primary key (school_id, id),
  foreign key (school_id, form_id) references forms,
  foreign key (school_id, user_id) references school_members
);
create index form_submissions_by_form on form_submissions (school_id, form_id, submitted_at, id);
create statistics form_submissions_ids (dependencies) on school_id, form_id from form_submissions;
comment on table form_submissions is 'content: the answers somebody sent to a form';

create trigger posts_touch before update on posts for each row execute function touch_row();
create trigger pages_touch before update on pages for each row execute function touch_row();
create trigger forms_touch before update on forms for each row execute function touch_row();
