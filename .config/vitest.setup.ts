// Property tests run with one seed, so that a run says the same of the same code on every machine; FC_SEED=random (or a
// number) explores further, and a failure names the seed it was found with.
import fc from "fast-check";

const wanted = process.env["FC_SEED"] ?? "20261129";
if (wanted !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) });
