-- A form may be for members alone, each of whom answers it once.
alter table forms add column once_per_member boolean not null default false;
comment on column forms.once_per_member is 'only members answer it, each of them once';
