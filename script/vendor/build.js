/** Writes chat/static/chat/vendor.js and vendor-highlight.js from the packages that package.json pins. */

import { readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const target = path.join(here, "../../chat/static/chat");

/** The packages whose code is in a bundle, from esbuild's list of its inputs. */
function packagesOf(metafile) {
  const names = Object.keys(metafile.inputs).map((file) => file.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]);
  return [...new Set(names.filter(Boolean))].sort();
}

async function licenceOf(name) {
  const folder = path.join(here, "node_modules", name);
  const { version, license } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry));
  if (!file) throw new Error(`${name} brings no licence text.`);
  const text = (await readFile(path.join(folder, file), "utf8")).replaceAll("*/", "* /").trim();
  return `${name} ${version} (${license})\n\n${text}`;
}

async function bundle(name) {
  const result = await build({
    entryPoints: [path.join(here, name)],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    legalComments: "none",
    metafile: true,
    write: false,
  });
  const licences = await Promise.all(packagesOf(result.metafile).map(licenceOf));
  const notice = ["Made by script/vendor/build.js; holds the following packages.", ...licences].join("\n\n----\n\n");
  await writeFile(path.join(target, name), `/*! ${notice}\n*/\n${result.outputFiles[0].text}`);
}

await Promise.all(["vendor.js", "vendor-highlight.js"].map(bundle));
